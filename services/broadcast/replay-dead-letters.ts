import { createAuditStore } from '../../db/accounts/audit-store.ts';
import { createDeadLetterStore } from '../../db/broadcast/dead-letter-store.ts';
import { createDestinationStore } from '../../db/broadcast/destination-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import { requireFound } from '../require-found.ts';

/**
 * Requests that all or some dead letters of a destination are sent again. Returns how many. Throws 409 for a disabled
 * destination, because nothing would be sent.
 */
export async function replayDeadLetters(
  transaction: Handle,
  actor: Actor,
  id: string,
  deadLetterIds: readonly string[] | null,
): Promise<number> {
  // The lock keeps the destination enabled until the commit.
  const destination = requireFound(await createDestinationStore(transaction).lock(actor.organizationId, id));
  if (!destination.enabled) throw disabled();
  const count = await createDeadLetterStore(transaction).requestReplay(destination.id, deadLetterIds);
  const target = `observability/destinations/${destination.id}`;
  await createAuditStore(transaction).insert(actor, { action: 'replayObservabilityDeadLetters', target });
  return count;
}

function disabled(): AppError {
  return new AppError('conflict', {
    publicMessage: 'The destination is disabled. Enable it first, then send its dead letters again.',
    reason: 'destination_disabled',
    retryable: false,
  });
}
