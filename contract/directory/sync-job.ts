/** Defines the schemas of directory syncs and of their changes. */
import { z } from 'zod';
import {
  CHANGE_KINDS,
  JOB_STATES,
  SYNC_FAILURES,
  SYNC_STEPS,
  SYNC_TRIGGERS,
} from '../../domain/directory/job.ts';
import { SOURCE_TYPES } from '../../domain/directory/source.ts';

const count = z.int().min(0);

/** One run of a directory sync. Every field is always present. */
export const scimSyncJob = z
  .object({
    id: z.uuid(),
    status: z.enum(JOB_STATES),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    synced_groups: count.nullable().meta({
      description: 'The number of groups in the directory. Null until the job succeeded.',
    }),
    deleted_groups: count.nullable().meta({
      description:
        'The number of groups that were deleted, or would be after a dry run. Null until the job succeeded.',
    }),
    error_message: z
      .string()
      .nullable()
      .meta({ description: 'A sentence for people, always the same for the same reason.' }),
    error_reason: z.enum(SYNC_FAILURES).nullable().meta({ description: 'A stable identifier for programs.' }),
    source: z.enum(SOURCE_TYPES).meta({ description: 'The type of the source when the job began.' }),
    trigger: z.enum(SYNC_TRIGGERS).meta({
      description:
        'The trigger of the job: a request, the interval of the source, a push of many people, or a mapping of a large group.',
    }),
    dry_run: z.boolean(),
    allow_deletions: z.boolean(),
    is_full: z.boolean().meta({
      description: 'False: only changes are read or applied, and nobody is removed for missing from a list.',
    }),
    progress: z
      .object({
        step: z.enum(SYNC_STEPS).nullable(),
        page: count.nullable().meta({ description: 'The number of pages read of the latest list.' }),
        people: count.nullable(),
        groups: count.nullable(),
        applied: count.nullable(),
        to_apply: count.nullable(),
      })
      .meta({ description: 'The progress of the job. Null: that step has not begun.' }),
    counts: z
      .object({
        people_read: count,
        groups_read: count,
        members_added: count,
        members_removed: count,
        workspace_members_added: count,
        workspace_members_changed: count,
        workspace_members_removed: count,
        keys_disabled: count,
        keys_left: count.meta({ description: 'Active keys of people who left that were not disabled.' }),
      })
      .meta({
        description:
          'The changes so far. For a dry run, and for a job that its guard stopped: the changes that would have been made.',
      }),
    warnings: z
      .array(z.object({ reason: z.string(), message: z.string(), user_id: z.string().nullable() }))
      .meta({ description: 'Problems that an administrator should know. At most 100.' }),
  })
  .meta({ id: 'ScimSyncJob' });

export type ScimSyncJobRecord = z.output<typeof scimSyncJob>;

/** Describes one change that a job made. */
export const scimChange = z
  .object({
    kind: z.enum(CHANGE_KINDS),
    name: z.string().meta({ description: 'The user name of the person, or the name of the group or key.' }),
    user_id: z.string().nullable(),
    workspace_id: z.uuid().nullable(),
    group_id: z.uuid().nullable(),
    key_hash: z.string().nullable(),
    from: z.string().nullable().meta({
      description: 'The role, name or state before the change. Null: there was none.',
    }),
    to: z
      .string()
      .nullable()
      .meta({ description: 'The role, name or state after the change. Null: there is none.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'ScimSyncChange' });

export type ScimChangeRecord = z.output<typeof scimChange>;

export const syncJobExample: ScimSyncJobRecord = {
  id: '5e0d7a36-91c4-4f5e-8f0b-2c6d1a9e4b73',
  status: 'succeeded',
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:00.200Z',
  finished_at: '2026-01-01T00:00:04.000Z',
  synced_groups: 12,
  deleted_groups: 0,
  error_message: null,
  error_reason: null,
  source: 'scim',
  trigger: 'request',
  dry_run: false,
  allow_deletions: false,
  is_full: true,
  progress: { step: 'applying', page: 1, people: 240, groups: 12, applied: 3, to_apply: 3 },
  counts: {
    people_read: 240,
    groups_read: 12,
    members_added: 2,
    members_removed: 1,
    workspace_members_added: 4,
    workspace_members_changed: 0,
    workspace_members_removed: 1,
    keys_disabled: 1,
    keys_left: 0,
  },
  warnings: [],
};

export const changeExample: ScimChangeRecord = {
  kind: 'organization_member',
  name: 'ann@example.com',
  user_id: 'user_2dHFtVWx2n56w6HkM0000000',
  workspace_id: null,
  group_id: null,
  key_hash: null,
  from: 'org:member',
  to: null,
  created_at: '2026-01-01T00:00:03.000Z',
};
