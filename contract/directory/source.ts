/** Declares the operations that read, set and delete the source of an organization's directory. */
import { z } from 'zod';
import { JOB_STATES, SYNC_FAILURES } from '../../domain/directory/job.ts';
import {
  DEFAULT_INTERVAL_MINUTES,
  DISABLE_KEYS,
  MAX_INTERVAL_MINUTES,
  MIN_INTERVAL_MINUTES,
  SOURCE_TYPES,
} from '../../domain/directory/source.ts';
import { answerWith, deletion } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { httpUrl } from '../text.ts';

const common = { access: 'management', tag: 'Directory' } as const;

const NOTES = {
  base_url: 'The base address of a SCIM 2.0 server. Sluice reads `/Users` and `/Groups` below it.',
  interval_minutes: 'The time between two scheduled syncs. Once a day a sync reads everything.',
  scim_disable_keys:
    'The keys that are disabled when a person leaves: all keys of the person, or only those whose `identity_subject` names the person.',
} as const;

const disableKeys = z.enum(DISABLE_KEYS).meta({ description: NOTES.scim_disable_keys });

const token = z
  .string()
  .min(1)
  .max(8_192)
  .regex(/^[\x21-\x7e]+$/, 'must have only visible ASCII characters')
  .meta({
    description:
      'The bearer token for the server. It is stored encrypted and never shown again. Absent: the stored token stays if `base_url` has the same origin as before.',
  });

const settings = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('pushed'), scim_disable_keys: disableKeys.default('all') }),
    z.object({
      type: z.literal('scim'),
      base_url: httpUrl({ max: 2_048 }).meta({ description: NOTES.base_url }),
      token: token.optional(),
      interval_minutes: z
        .int()
        .min(MIN_INTERVAL_MINUTES)
        .max(MAX_INTERVAL_MINUTES)
        .default(DEFAULT_INTERVAL_MINUTES)
        .meta({ description: NOTES.interval_minutes }),
      scim_disable_keys: disableKeys.default('all'),
    }),
  ])
  .meta({ id: 'ScimSourceSettings' });

export type ScimSourceSettings = z.output<typeof settings>;

/** The source of an organization's directory. Every field is always present. */
const source = z
  .object({
    type: z.enum(SOURCE_TYPES).meta({
      description: '`pushed`: the identity provider calls Sluice. `scim`: Sluice reads a SCIM 2.0 server.',
    }),
    base_url: z.string().nullable().meta({ description: NOTES.base_url }),
    token_hint: z.string().nullable().meta({
      description: 'The last four characters of the token; `...` for one of fewer than 20 characters.',
    }),
    interval_minutes: z.int().nullable().meta({ description: NOTES.interval_minutes }),
    scim_disable_keys: disableKeys,
    next_sync_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The time at which the next scheduled sync begins.' }),
    last_full_sync_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The time at which a complete reading of this source was last applied.' }),
    last_sync_job: z
      .object({
        id: z.uuid(),
        status: z.enum(JOB_STATES),
        error_reason: z.enum(SYNC_FAILURES).nullable(),
        created_at: z.iso.datetime(),
        finished_at: z.iso.datetime().nullable(),
      })
      .nullable(),
    managed_people: z
      .int()
      .meta({ description: 'The number of members of the organization that the directory manages.' }),
    held_removals: z.object({ count: z.int(), since: z.iso.datetime().nullable() }).meta({
      description: 'Pushed removals that wait for `POST /scim/sync-jobs?allow_deletions=true`.',
    }),
    updated_at: z.iso.datetime().nullable().meta({ description: 'Null: no source was ever set.' }),
  })
  .meta({ id: 'ScimSource' });

export type ScimSourceRecord = z.output<typeof source>;

const sourceExample: ScimSourceRecord = {
  type: 'scim',
  base_url: 'https://directory.example.com/scim/v2',
  token_hint: 'x9Qz',
  interval_minutes: 60,
  scim_disable_keys: 'all',
  next_sync_at: '2026-01-01T01:00:00.000Z',
  last_full_sync_at: '2026-01-01T00:00:04.000Z',
  last_sync_job: {
    id: '5e0d7a36-91c4-4f5e-8f0b-2c6d1a9e4b73',
    status: 'succeeded',
    error_reason: null,
    created_at: '2026-01-01T00:00:00.000Z',
    finished_at: '2026-01-01T00:00:04.000Z',
  },
  managed_people: 240,
  held_removals: { count: 0, since: null },
  updated_at: '2026-01-01T00:00:00.000Z',
};

const current = answerWith('ScimSourceAnswer', source, sourceExample);

export const sourceOperations = defineOperations(common, {
  getScimSource: {
    route: 'GET /scim/source',
    summary: 'Get the source of the directory',
    description: 'Returns the source of people and groups. The default is `pushed`.',
    responses: { 200: { description: 'The source, without its token.', ...current } },
  },

  setScimSource: {
    route: 'PUT /scim/source',
    summary: 'Set the source of the directory',
    description:
      'Replaces the settings. No one is removed: stored people and groups are matched with those of the new source, by external id and else by name. A source of type `scim` is read at once. As long as it is set, identity providers cannot push.',
    body: {
      schema: settings,
      examples: {
        scim: {
          summary: 'Read a SCIM 2.0 server every hour',
          value: {
            type: 'scim',
            base_url: 'https://directory.example.com/scim/v2',
            token: 'a-token-of-the-server-x9Qz',
            interval_minutes: 60,
            scim_disable_keys: 'all',
          },
        },
        pushed: {
          summary: 'An identity provider pushes, and only keys of identified people are disabled',
          value: { type: 'pushed', scim_disable_keys: 'identified' },
        },
      },
    },
    responses: { 200: { description: 'The source as it is now.', ...current } },
  },

  deleteScimSource: {
    route: 'DELETE /scim/source',
    summary: 'Delete the source of the directory',
    description:
      'Deletes the stored token; people and groups are pushed from now on. No one is removed. 404 if no source was set.',
    responses: { 200: { description: 'The source is deleted.', ...deletion('ScimSourceDeleted') } },
    errors: [404],
  },
});
