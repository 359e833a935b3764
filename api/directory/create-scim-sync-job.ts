/** Handles `POST /scim/sync-jobs`: starts a directory sync and returns its job. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentSyncJob } from './present-scim-sync-job.ts';
import { defineRoute } from '../http/route.ts';

export const createScimSyncJob = defineRoute(
  operations.createScimSyncJob,
  async ({ principal, client, query }, { services }) => {
    const { dry_run: dryRun = false, allow_deletions: allowDeletions = false } = query;
    const job = await services.syncJobs.request(actorOf(principal, client), { dryRun, allowDeletions });
    return { status: 202, body: { data: presentSyncJob(job) } };
  },
);
