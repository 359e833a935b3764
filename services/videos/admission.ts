/** Checks within the accepting transaction that the caller may have one more video job and can pay for it. */
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createVideoJobStore, type OpenJobs } from '../../db/videos/video-job-store.ts';
import { createPayerCounters } from '../../db/ledger/payer-counters.ts';
import { AppError } from '../../domain/errors.ts';
import { hasExpired, type Principal } from '../../domain/principal.ts';
import {
  countedUnder,
  leftUnder,
  periodStart,
  type Spend,
  utcDay,
} from '../../domain/ledger/spending-limit.ts';
import type { NewVideoJob } from '../../domain/videos/video-job.ts';
import { refusalOf } from '../ledger/spending/refusal.ts';

/** Thrown when the key was verified in one workspace and is now in another. */
export class KeyMovedError extends Error {
  readonly workspaceId: string;

  constructor(workspaceId: string) {
    super('the key has moved to another workspace');
    this.workspaceId = workspaceId;
  }
}

/** The time after which a caller with too many open jobs should retry. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Refuses a job above the limit of its organization's open jobs or of their stored requests (429). Requests that are
 * checked at the same moment may together exceed the limit, by fewer jobs than there are database connections: each
 * request holds one from its check to its commit. A lock would make all submissions of an organization wait in line.
 */
export async function admitOpenJob(
  transaction: Handle,
  { organizationId }: Principal,
  { request }: NewVideoJob,
  most: OpenJobs,
): Promise<void> {
  const open = await createVideoJobStore(transaction).openJobsOf(organizationId);
  const refused = (reason: string, message: string): AppError =>
    new AppError('rate_limited', {
      reason,
      issues: [{ path: 'body', message }],
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  if (open.jobs >= most.jobs) {
    throw refused(
      'too_many_open_jobs',
      `is one more than the ${most.jobs} jobs that an organization may have open`,
    );
  }
  if (open.bytes + Buffer.byteLength(JSON.stringify(request)) > most.bytes) {
    const message = `makes the requests of the organization's open jobs larger than ${most.bytes} bytes`;
    throw refused('too_many_bytes_of_open_jobs', message);
  }
}

/**
 * Refuses a job that the key's limit, the credit or a budget does not cover (402). Also refuses a job whose key was
 * disabled, deleted or has expired since it was verified (401).
 *
 * Throws `KeyMovedError` before it checks any limit, because another workspace has other budgets and other idempotency
 * records. Runs in the transaction that inserts the job, because an open job's price is its reservation. When a ceiling
 * applies, it locks the organization's row, so that two requests cannot both spend the last dollar. It locks the
 * workspace before the organization, like all code that locks both.
 */
export async function admitSpending(
  transaction: Handle,
  principal: Principal,
  price: Spend,
  creditsUrl: string,
): Promise<void> {
  // Read the limits again, because those of the principal may be a second old.
  const key = await createApiKeyStore(transaction).findAndHold(principal.keyHash);
  if (key === null || key.disabled || hasExpired(key, Date.now())) throw new AppError('invalid_credential');
  if (key.workspaceId !== principal.workspaceId) throw new KeyMovedError(key.workspaceId);
  if (price.usage + price.byok > 0n) await checkCeilings(transaction, key, price, creditsUrl);
}

async function checkCeilings(
  transaction: Handle,
  { keyId, organizationId, workspaceId, ceilings }: Principal,
  price: Spend,
  creditsUrl: string,
): Promise<void> {
  if (ceilings === undefined) return;
  await createAccountStore(transaction).lock(organizationId);
  const ids = { key: keyId, organization: organizationId, workspace: workspaceId };
  const today = utcDay(Date.now());
  const counters = await createPayerCounters(transaction).read(
    ceilings.map(({ payer, interval }) => ({
      payer,
      id: ids[payer],
      sinceDay: periodStart(interval, today),
    })),
  );
  for (const [index, ceiling] of ceilings.entries()) {
    const wanted = countedUnder(ceiling, price);
    // The job spends nothing under this ceiling.
    if (wanted === 0n) continue;
    const known = counters[index];
    if (known === undefined || leftUnder(ceiling, known) < wanted) {
      throw refusalOf(ceiling, creditsUrl);
    }
  }
}
