/** Runs changes of a directory by identity providers or administrators, and applies their effect on memberships. */
import { type AuditEntry, createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createJobStore } from '../../../db/directory/job-store.ts';
import { lockDirectory } from '../../../db/accounts/lock-directory.ts';
import { createPendingStore } from '../../../db/directory/pending-store.ts';
import { createSourceStore } from '../../../db/directory/source-store.ts';
import { MAX_PEOPLE_AT_ONCE, PEOPLE_PER_CHUNK } from '../../../domain/directory/guard.ts';
import type { DirectorySource } from '../../../domain/directory/source.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RunStarter } from '../../runs/run-starter.ts';
import type { ConcurrencyLimit } from '../../concurrency-limit.ts';
import { applyPeople } from '../membership/apply-people.ts';
import { holdTooManyRemovals, releaseHeld, type RenderRemovalsHeld } from './hold-removals.ts';

export interface PushCall {
  organizationId: string;
  actor: Actor;
  /** Aborts when the caller disconnects. */
  gone: AbortSignal;
  /** True for changes that are possible while the directory is read from a source, such as a change of a mapping. */
  allowPulled?: boolean;
}

export interface Pushed<Answer> {
  answer: Answer;
  /** The people whose memberships may change. */
  personIds: readonly string[];
  entries: AuditEntry[];
  /** False for changes that an administrator makes on purpose. */
  guarded?: boolean;
}

/**
 * Does the work and applies the resulting memberships in one transaction, for up to 100 people, or 1,000 without a
 * guard. A run applies larger changes. Requests of one organization run one after another, and hold no connection while
 * they wait.
 */
export type Push = <Answer>(
  call: PushCall,
  work: (transaction: Handle) => Promise<Pushed<Answer>>,
) => Promise<Answer>;

export interface PushDeps {
  knex: Handle;
  /** Allows one change at a time for each organization. */
  concurrencyLimit: ConcurrencyLimit;
  runs: Pick<RunStarter, 'startDirectorySync'>;
  logger: Pick<Logger, 'warn'>;
  renderRemovalsHeld: RenderRemovalsHeld;
}

export function createPush({ knex, concurrencyLimit, runs, logger, renderRemovalsHeld }: PushDeps): Push {
  const settle = async (
    transaction: Handle,
    { organizationId, actor }: PushCall,
    { disableKeys }: DirectorySource,
    { personIds, guarded = true }: Pushed<unknown>,
  ): Promise<void> => {
    if (guarded) await holdTooManyRemovals(transaction, { organizationId, personIds }, renderRemovalsHeld);
    const ids = guarded ? personIds : await createPendingStore(transaction).unguarded(personIds);
    await releaseHeld(transaction, { organizationId, personIds: ids });
    const { warnings } = await applyPeople(transaction, {
      organizationId,
      personIds: ids,
      jobId: null,
      disableKeys,
      actor,
      countsRemovals: guarded,
    });
    for (const warning of warnings) logger.warn({ organizationId, ...warning }, 'directory push');
  };
  return async (call, work) => {
    const { organizationId } = call;
    const { answer, jobId } = await concurrencyLimit.run(organizationId, call.gone, () =>
      knex.transaction(async (transaction) => {
        await lockDirectory(transaction, organizationId);
        const source = await createSourceStore(transaction).find(organizationId);
        if (source.type !== 'pushed' && call.allowPulled !== true) throw new AppError('directory_is_pulled');
        const pushed = await work(transaction);
        await createAuditStore(transaction).insert(call.actor, ...pushed.entries);
        if (isForRun(pushed))
          return { answer: pushed.answer, jobId: await leaveToRun(transaction, source, pushed) };
        if (pushed.personIds.length > 0) await settle(transaction, call, source, pushed);
        return { answer: pushed.answer, jobId: undefined };
      }),
    );
    if (jobId !== undefined) {
      // The sweep starts a job that could not be started here.
      await runs
        .startDirectorySync({ jobId, organizationId })
        .catch((err: unknown) =>
          logger.warn({ err, organizationId, jobId }, 'starting a directory sync failed'),
        );
    }
    return answer;
  };
}

function isForRun({ personIds, guarded = true }: Pushed<unknown>): boolean {
  return personIds.length > (guarded ? MAX_PEOPLE_AT_ONCE : PEOPLE_PER_CHUNK);
}

async function leaveToRun(
  transaction: Handle,
  { organizationId, type }: DirectorySource,
  { personIds, guarded = true }: Pushed<unknown>,
): Promise<string | undefined> {
  await createPendingStore(transaction).mark(personIds, guarded ? 'guarded' : 'free');
  const { job, isNew } = await createJobStore(transaction).begin({
    organizationId,
    source: type,
    trigger: guarded ? 'push' : 'mapping',
    dryRun: false,
    allowDeletions: false,
    isFull: false,
  });
  return isNew ? job.id : undefined;
}
