import { parseArgs } from 'node:util';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createJobRunStore } from '../db/videos/job-run-store.ts';
import { createLeftoverStore } from '../db/videos/leftover-store.ts';
import { createUnconfirmedReadModel } from '../db/videos/unconfirmed-read-model.ts';
import { listFlagged } from './flagged-bills.ts';
import { wrongUsage, AdminUsageError, parseCount } from './arguments.ts';
import { formatTable } from './table.ts';

export const JOBS_USAGE = `jobs --unconfirmed [--limit N]
jobs --flagged [--limit N]
jobs --acknowledge JOB`;

const MAX_LIMIT = 10_000;

/** Runs `admin jobs …` over all organizations. Returns the text to print. */
export async function runJobs(knex: Handle, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      unconfirmed: { type: 'boolean', default: false },
      flagged: { type: 'boolean', default: false },
      acknowledge: { type: 'string' },
      limit: { type: 'string' },
    },
  });
  const { unconfirmed, flagged, acknowledge, limit = '100' } = values;
  if ([unconfirmed, flagged, acknowledge !== undefined].filter(Boolean).length !== 1) {
    throw wrongUsage('jobs', 'either --unconfirmed, --flagged or --acknowledge JOB must be given');
  }
  if (unconfirmed) return listUnconfirmed(knex, parseCount('--limit', limit, MAX_LIMIT));
  if (acknowledge === undefined) return listFlagged(knex, parseCount('--limit', limit, MAX_LIMIT));
  if (values.limit !== undefined) throw wrongUsage('jobs', '--limit goes with --unconfirmed or --flagged');
  return acknowledgeJob(knex, acknowledge);
}

async function listUnconfirmed(knex: Handle, limit: number): Promise<string> {
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

/**
 * Records that an operator has checked a job at the provider. The job leaves the list, and the sweep stops cancelling
 * it at the provider.
 */
async function acknowledgeJob(knex: Handle, jobId: string): Promise<string> {
  const count = await knex.transaction(async (transaction) => {
    const job = await createJobRunStore(transaction).find(jobId);
    const acknowledged = job === null ? 0 : await createLeftoverStore(transaction).acknowledge(jobId);
    if (job === null || acknowledged === 0) throw new AdminUsageError('No submission of this job is listed.');
    const entry = { action: 'acknowledgeUnconfirmedJob', target: `videos/${jobId}` };
    await createAuditStore(transaction).insert({ organizationId: job.organizationId }, entry);
    return acknowledged;
  });
  return `${jobId} is no longer listed (submissions: ${count}).`;
}
