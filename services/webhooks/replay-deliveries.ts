/** Sends the ended deliveries of a workspace again, all since a moment. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createBulkReplayStore, type ReplayRange } from '../../db/webhooks/bulk-replay-store.ts';
import type { Actor } from '../../domain/principal.ts';
import { MAX_REPLAYED } from '../../domain/webhooks/webhook-delivery.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../answer-once.ts';

export interface ReplayedDeliveries {
  count: number;
  /** The time from which a further request continues; null when no delivery is left. */
  nextSince: Date | null;
}

const OPERATION = 'replayWebhooks';

/**
 * Opens ended deliveries again, the oldest first, up to a limit. One commit opens them, writes the audit entry and
 * stores the answer. The sweep then starts their workflows, so nothing is lost when this process dies.
 */
export async function replayDeliveries(
  knex: Handle,
  actor: Actor,
  range: ReplayRange,
  once: OnceOptions<ReplayedDeliveries>,
): Promise<OnceAnswer> {
  const { organizationId } = actor;
  const { workspaceId } = range;
  const make = async (transaction: Handle): Promise<ReplayedDeliveries> => {
    const store = createBulkReplayStore(transaction);
    await store.lock(workspaceId);
    const opened = await store.replay(range, MAX_REPLAYED);
    const target = `workspaces/${workspaceId}`;
    await createAuditStore(transaction).insert(actor, { action: OPERATION, target });
    return { count: opened.length, nextSince: opened[MAX_REPLAYED - 1] ?? null };
  };
  return doOnce({ knex, scope: { organizationId, workspaceId, operation: OPERATION }, make }, once);
}
