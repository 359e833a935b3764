/** Encrypts and decrypts the configuration of an observability destination, and opens the secrets that sign for it. */
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import type { DestinationType } from '../../domain/broadcast/destination.ts';
import { type AnyConfig, maskConfig } from '../../domain/broadcast/masked-config.ts';
import type { Encryption } from '../../platform/encryption.ts';
import type { StoredDestination } from '../../db/broadcast/destination-rows.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createWebhookSecretStore } from '../../db/webhooks/webhook-secret-store.ts';
import { openSecret } from '../webhooks/sealed-secret.ts';

/** The configuration of a destination as it is stored in its row. */
export interface SealedConfig {
  configSealed: string;
  configShown: AnyConfig;
}

/** Encrypts the whole configuration for one destination, together with a copy that has masks in place of secrets. */
export function sealConfig(
  encryption: Pick<Encryption, 'seal'>,
  id: string,
  { type, config }: { type: DestinationType; config: AnyConfig },
): SealedConfig {
  const configSealed = encryption.seal(JSON.stringify(config), destinationConfigContext(id));
  return { configSealed, configShown: maskConfig(type, config) };
}

/** Decrypts the configuration of a destination. */
export function openConfig(
  encryption: Pick<Encryption, 'open'>,
  { id, type, configSealed }: { id: string; type: DestinationType; configSealed: string },
): DestinationConfig {
  const config: unknown = JSON.parse(
    encryption.open(configSealed, destinationConfigContext(id)).toString('utf8'),
  );
  // The configuration was checked against its type before it was sealed.
  return { type, config } as DestinationConfig;
}

/** Returns the context that an encrypted configuration is bound to. */
export function destinationConfigContext(id: string): string {
  return `observability_destinations:${id}`;
}

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
