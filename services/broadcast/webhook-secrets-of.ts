import type { StoredDestination } from '../../db/broadcast/destination-rows.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createWebhookSecretStore } from '../../db/webhooks/webhook-secret-store.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { openSecret } from '../webhooks/sealed-secret.ts';

/** Returns the secrets that sign what a destination receives. Only webhooks are signed. */
export async function webhookSecretsOf(
  knex: Handle,
  encryption: Pick<Encryption, 'open'>,
  { type, workspaceId }: Pick<StoredDestination, 'type' | 'workspaceId'>,
): Promise<string[]> {
  if (type !== 'webhook') return [];
  const sealed = await createWebhookSecretStore(knex).signing(workspaceId);
  return sealed.map((secret) => openSecret(encryption, secret));
}
