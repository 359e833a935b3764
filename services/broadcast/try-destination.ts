import type { StoredDestination } from '../../db/broadcast/destination-rows.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { AppError } from '../../domain/errors.ts';
import type { Encryption } from '../../platform/encryption.ts';
import type { SendDeps, TestAnswer } from './destinations/destination-adapter.ts';
import { testDestination } from './destinations/send-to-destination.ts';
import { openConfig, webhookSecretsOf } from './sealed-config.ts';

export interface TryDestinationDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'open'>;
  send: Omit<SendDeps, 'webhookSecrets'>;
}

/**
 * Sends the test of a destination once, even if it is disabled, and writes nothing. Ends when the caller disconnects.
 */
export async function tryDestination(
  { knex, encryption, send }: TryDestinationDeps,
  destination: StoredDestination,
  gone: AbortSignal,
): Promise<TestAnswer> {
  const webhookSecrets = await webhookSecretsOf(knex, encryption, destination);
  try {
    return await testDestination(openConfig(encryption, destination), { ...send, webhookSecrets }, gone);
  } catch (error) {
    if (gone.aborted) throw new AppError('client_cancelled');
    throw error;
  }
}
