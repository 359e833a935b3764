/** Creates, encrypts and decrypts the secrets that sign webhooks. */
import type { SealedSecret } from '../../db/webhooks/webhook-secret-store.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { newWebhookSecret } from './signature.ts';

/** Returns a new signing secret: the text to show once, and the form to store. */
export function newSealedSecret(encryption: Pick<Encryption, 'seal'>): SealedSecret & { secret: string } {
  const id = newUuid();
  const secret = newWebhookSecret();
  return { id, secret, sealedSecret: encryption.seal(secret, webhookSecretContext(id)) };
}

/** Returns the `whsec_…` text of a stored secret. */
export function openSecret(encryption: Pick<Encryption, 'open'>, { id, sealedSecret }: SealedSecret): string {
  return encryption.open(sealedSecret, webhookSecretContext(id)).toString('utf8');
}

/** Returns the context that a signing secret is bound to. */
export function webhookSecretContext(id: string): string {
  return `webhook_secrets:${id}`;
}
