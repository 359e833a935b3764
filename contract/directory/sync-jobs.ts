/** Declares the operations that start directory syncs and show their results. */
import { z } from 'zod';
import { CHANGE_RETENTION_MS, MAX_CHANGES } from '../../domain/directory/job.ts';
import { answerWith, pageOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { pageQuery, queryFlag } from '../query-values.ts';
import { changeExample, scimChange, scimSyncJob, syncJobExample } from './sync-job.ts';

const common = { access: 'management', tag: 'Directory' } as const;
const DAYS = CHANGE_RETENTION_MS / 86_400_000;

const params = idParams('job', syncJobExample.id);

const current = answerWith('ScimSyncJobAnswer', scimSyncJob, syncJobExample);

export const syncJobOperations = defineOperations(common, {
  createScimSyncJob: {
    route: 'POST /scim/sync-jobs',
    summary: 'Start a directory sync',
    description:
      'Starts a job that reads the whole source and updates memberships and keys. If the identity provider pushes people, the job applies the pushed state. An organization has one job at a time. While a full job with the same options runs, the response is that job; any other running job is a 409 with the reason `sync_running`. A job that would remove too many people or groups fails with `guard_deletions`, and a job with an empty source fails with `guard_empty`. `GET /scim/sync-jobs/{id}/changes` then shows the changes that it would have made.',
    query: z.object({
      dry_run: queryFlag()
        .optional()
        .meta({ description: 'True: records the changes that it would make, and makes none.' }),
      allow_deletions: queryFlag().optional().meta({
        description: 'True: also applies removals that the guard would stop, and held removals.',
      }),
    }),
    responses: {
      202: {
        description: 'The new job, or the running one.',
        schema: current.schema,
        example: { data: { ...syncJobExample, status: 'queued' } },
      },
    },
    errors: [409],
  },

  listScimSyncJobs: {
    route: 'GET /scim/sync-jobs',
    summary: 'List directory syncs',
    description: `Lists the jobs, the newest first. Jobs are kept for ${DAYS} days after their end.`,
    query: z.object(pageQuery),
    responses: {
      200: { description: 'One page of jobs.', ...pageOf('ScimSyncJobList', scimSyncJob, syncJobExample) },
    },
  },

  getScimSyncJob: {
    route: 'GET /scim/sync-jobs/{id}',
    errorMessages: 'exact',
    summary: 'Get a directory sync',
    params,
    responses: { 200: { description: 'The job.', ...current } },
    errors: [404],
  },

  listScimSyncChanges: {
    route: 'GET /scim/sync-jobs/{id}/changes',
    summary: 'List what a directory sync changed',
    description: `Lists the changes of a job, in the order in which they were made. For a dry run, and for a job that its guard stopped, lists the changes that would have been made. A job keeps the first ${MAX_CHANGES} losses of memberships, the first ${MAX_CHANGES} keys of people who lost one, and the first ${MAX_CHANGES} of all other changes. Many new members therefore never hide the leavers. The changes are kept for ${DAYS} days.`,
    params,
    query: z.object(pageQuery),
    responses: {
      200: {
        description: 'One page of changes.',
        ...pageOf('ScimSyncChangeList', scimChange, changeExample),
      },
    },
    errors: [404],
  },
});
