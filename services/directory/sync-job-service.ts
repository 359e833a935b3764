import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createChangeReadModel } from '../../db/directory/change-read-model.ts';
import { createJobStore, type NewSyncJob } from '../../db/directory/job-store.ts';
import { createSourceStore } from '../../db/directory/source-store.ts';
import type { DirectoryChange, SyncJob } from '../../domain/directory/job.ts';
import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Logger } from '../../platform/logger.ts';
import { requireFound, requireId } from '../require-found.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import { startSync } from './sync/begin-sync.ts';

export interface SyncJobRequest {
  dryRun: boolean;
  allowDeletions: boolean;
}

interface Page {
  limit: number;
  offset: number;
}

export interface SyncJobServiceDeps {
  knex: Handle;
  runs: Pick<RunStarter, 'startDirectorySync'>;
  logger: Pick<Logger, 'warn'>;
}

/** Creates the service that starts syncs of a directory and shows what they did. */
export function createSyncJobService(deps: SyncJobServiceDeps) {
  const { knex } = deps;
  const get = async (organizationId: string, id: string): Promise<SyncJob> =>
    requireFound(await createJobStore(knex).find(organizationId, requireId(id)));
  return {
    /** Begins a job, or returns the open job that does the same. Throws 409 while another job runs. */
    request: (actor: Actor, request: SyncJobRequest): Promise<SyncJob> => requestSync(deps, actor, request),
    get,
    list: (organizationId: string, page: Page): Promise<{ jobs: SyncJob[]; totalCount: number }> =>
      createJobStore(knex).list(organizationId, page),
    async changes(
      organizationId: string,
      id: string,
      page: Page,
    ): Promise<{ changes: DirectoryChange[]; totalCount: number }> {
      const job = await get(organizationId, id);
      return createChangeReadModel(knex).list(job.id, page);
    },
  };
}

async function requestSync(
  { knex, runs, logger }: SyncJobServiceDeps,
  actor: Actor,
  { dryRun, allowDeletions }: SyncJobRequest,
): Promise<SyncJob> {
  const { organizationId } = actor;
  const { job, isNew } = await knex.transaction(async (transaction) => {
    const { type: source } = await createSourceStore(transaction).find(organizationId);
    const draft: NewSyncJob = {
      organizationId,
      source,
      trigger: 'request',
      dryRun,
      allowDeletions,
      isFull: true,
    };
    const started = await createJobStore(transaction).begin(draft);
    if (!started.isNew && !doesTheSame(started.job, draft)) throw syncRunning();
    const entry = { action: 'createScimSyncJob', target: `scim/sync-jobs/${started.job.id}` };
    await createAuditStore(transaction).insert(actor, entry);
    return started;
  });
  if (isNew) {
    // The sweep starts a job that could not be started here.
    await startSync(knex, runs, job).catch((err: unknown) =>
      logger.warn({ err, organizationId, jobId: job.id }, 'starting a directory sync failed'),
    );
  }
  return job;
}

/** Returns whether the open job does what is requested; a scheduled run that reads everything does. */
function doesTheSame(open: SyncJob, requested: NewSyncJob): boolean {
  return (
    (open.trigger === 'request' || open.trigger === 'schedule') &&
    open.isFull &&
    open.source === requested.source &&
    open.dryRun === requested.dryRun &&
    open.allowDeletions === requested.allowDeletions
  );
}

function syncRunning(): AppError {
  const publicMessage = 'Another directory sync is running. Please try again later.';
  return new AppError('conflict', { reason: 'sync_running', retryable: true, publicMessage });
}

export type SyncJobService = ReturnType<typeof createSyncJobService>;
