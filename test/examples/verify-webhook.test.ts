import { verifyWebhook } from '../../examples/verify-webhook/verify-webhook.ts';
import { testWebhookVerifier } from '../support/webhook-verifier-suite.ts';

testWebhookVerifier(verifyWebhook);
