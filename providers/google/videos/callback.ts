/** Reads Google's callbacks about interactions. */
import { verifyStandardWebhook } from '../../standard-webhooks.ts';
import type { ParsedCallback, VendorCallback } from '../../video-adapter.ts';
import { readCallback } from '../../video-answers.ts';
import { callbackSchema } from './schemas.ts';

/** Matches events about videos. Others, such as `batch.succeeded`, do not concern jobs. */
const ABOUT_A_VIDEO = /^(interaction|video)\./;

/**
 * Parses a callback, after ai.google.dev/gemini-api/docs/webhooks and /api/webhooks (read 2026-11-28). Webhooks of a
 * project are signed by Standard Webhooks with the secret that was shown once. Those of one interaction have a JWT
 * instead. Its keys are the same for all of Google's customers, its audience is an id of the project that the gateway
 * does not know, and it does not cover the body. The token in the address proves such a callback.
 */
export function parseGoogleCallback(callback: VendorCallback, secret: string | undefined): ParsedCallback {
  const parsed = readCallback(callbackSchema, callback.body);
  if (parsed === undefined) return 'not_authentic';
  const signature = callback.headers['webhook-signature'];
  const isSigned = secret !== undefined && typeof signature === 'string' && signature.startsWith('v1,');
  if (isSigned && !verifyStandardWebhook(secret, callback)) return 'not_authentic';
  const { type: vendorStatus, data } = parsed;
  return { operationId: data.id, vendorStatus, terminal: ABOUT_A_VIDEO.test(vendorStatus), signed: isSigned };
}
