import type { SealedSecret } from '../../db/webhooks/webhook-secret-store.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { newWebhookSecret } from './signature.ts';

/** A new signing secret: the text to show once, and what is stored of it. */
export function newSealedSecret(encryption: Pick<Encryption, 'seal'>): SealedSecret & { secret: string } {
  const id = newUuid();
  const secret = newWebhookSecret();
  return { id, secret, sealedSecret: encryption.seal(secret, webhookSecretContext(id)) };
}

/** The `whsec_…` text. */
export function openSecret(encryption: Pick<Encryption, 'open'>, { id, sealedSecret }: SealedSecret): string {
  return encryption.open(sealedSecret, webhookSecretContext(id)).toString('utf8');
}

/** The place of a signing secret, to which it is bound. */
export function webhookSecretContext(id: string): string {
  return `webhook_secrets:${id}`;
}
