import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/connection.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { createRejectStore, type Reject } from '../../../db/ledger/reject-store.ts';
import { timestampOfId } from '../../../domain/ids.ts';
import { fromJson } from './spool-record.ts';

/**
 * Records a generation that was refused, once what refused it is mended, and takes it off the list, both or neither:
 * a repetition does nothing. It counts in the period in which it was settled. Returns whether it is billed by this;
 * false when it was recorded, or taken off, meanwhile. Throws what is still wrong with it.
 */
export async function replayReject(
  knex: Handle,
  { generationId, record }: Reject,
  shard: number,
): Promise<boolean> {
  const generation = fromJson(record);
  await createLedgerStore(knex).ensurePartition(new Date(timestampOfId(generation.id)));
  return knex.transaction(async (transaction) => {
    // First, so that a second replay waits here.
    if (!(await createRejectStore(transaction).delete(generationId))) return false;
    const isNew = await createLedgerStore(transaction).record(generation, shard);
    const entry = { action: 'replayReject', target: `generations/${generation.id}` };
    await createAuditStore(transaction).insert({ organizationId: generation.organizationId }, entry);
    return isNew;
  });
}
