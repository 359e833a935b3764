import type { Handle } from '../db/postgres/connection.ts';
import { listFlaggedBills } from '../db/videos/flagged-bill-read-model.ts';
import { formatUsd } from '../domain/money.ts';
import { formatTable } from './table.ts';

/** Returns the table of video jobs whose provider reported no units, or far from the catalog's estimate. */
export async function listFlagged(knex: Handle, limit: number): Promise<string> {
  const bills = await listFlaggedBills(knex, limit);
  if (bills.length === 0) return 'No bill is flagged.';
  return formatTable(
    ['job', 'endpoint', 'flag', 'reported', 'estimate', 'billed', 'ended at'],
    bills.map(({ jobId, endpointId, flag, report, estimateNanos, costNanos, endedAt }) => [
      jobId,
      endpointId,
      flag,
      Object.entries(report ?? {})
        .map(([meter, amount]) => `${meter} ${amount}`)
        .join(', ') || '-',
      formatUsd(BigInt(estimateNanos)),
      formatUsd(BigInt(costNanos)),
      endedAt.toISOString(),
    ]),
  );
}
