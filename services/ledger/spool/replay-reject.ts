import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { createRejectStore, type Reject } from '../../../db/ledger/reject-store.ts';
import { timestampOfId } from '../../../domain/ids.ts';
import { fromJson } from './spool-record.ts';

/**
 * Records a rejected generation after the cause of its rejection was repaired, and removes it from the list of
 * rejects, in one transaction. A repetition does nothing. The generation counts in the period in which it was
 * settled. Returns true when this call billed it, and false when it was recorded or removed before. Throws when the
 * generation still cannot be recorded.
 */
export async function replayReject(
  knex: Handle,
  { generationId, record }: Reject,
  shard: number,
): Promise<boolean> {
  const generation = fromJson(record);
  await createLedgerStore(knex).ensurePartition(new Date(timestampOfId(generation.id)));
  return knex.transaction(async (transaction) => {
    // Delete first: the deleted row blocks a second replay until this one ends.
    if (!(await createRejectStore(transaction).delete(generationId))) return false;
    const isNew = await createLedgerStore(transaction).record(generation, shard);
    const entry = { action: 'replayReject', target: `generations/${generation.id}` };
    await createAuditStore(transaction).insert({ organizationId: generation.organizationId }, entry);
    return isNew;
  });
}
