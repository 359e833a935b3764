import { parseArgs } from 'node:util';
import type { Handle } from '../db/connection.ts';
import { createUnconfirmedReadModel } from '../db/unconfirmed-read-model.ts';
import { formatTable } from './table.ts';
import { AdminUsageError } from './usage-error.ts';

export const JOBS_USAGE = `jobs --unconfirmed [--limit N]`;

const MAX_LIMIT = 10_000;

/** `admin jobs --unconfirmed`, over all organizations. Returns what is printed. */
export async function runJobs(knex: Handle, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      unconfirmed: { type: 'boolean', default: false },
      limit: { type: 'string', default: '100' },
    },
  });
  if (!values.unconfirmed) throw new AdminUsageError(JOBS_USAGE);
  const limit = parseLimit(values.limit);
  const submissions = createUnconfirmedReadModel(knex);
  const counts = await submissions.countByProvider();
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return 'No submission is unconfirmed.';
  const rows = await submissions.list(limit);
  return [
    formatTable(
      ['job', 'state', 'provider', 'idempotency key', 'operation', 'sent at', 'reason'],
      rows.map(({ jobId, state, provider, idempotencyKey, operationId, sentAt, reason }) => [
        jobId,
        state,
        provider,
        idempotencyKey,
        operationId ?? '-',
        sentAt.toISOString(),
        reason,
      ]),
    ),
    '',
    `${total} unconfirmed: ${counts.map(({ provider, count }) => `${provider} ${count}`).join(', ')}`,
    ...(rows.length < total ? [`The newest ${rows.length} are shown; --limit shows more.`] : []),
  ].join('\n');
}

function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) {
    throw new AdminUsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  return limit;
}
