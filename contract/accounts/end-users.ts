/** Declares the operations on end users, and the shape of an end user. */
import { z } from 'zod';
import { answerWith, pageOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery, queryFlag } from '../query-values.ts';
import { trackingString } from './tracking-string.ts';

const common = { access: 'management', tag: 'End users' } as const;
const time = z.iso.datetime();

const endUser = z
  .object({
    user: trackingString.meta({
      description:
        'Your own name for the end user, which you send as `user` with requests and as `external.user` with keys. It never changes, and it is case-sensitive.',
    }),
    is_active: z.boolean().meta({ description: 'Does not affect requests.' }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'EndUser' });

export type EndUserRecord = z.output<typeof endUser>;

const example = {
  user: 'customer-1',
  is_active: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const params = z.object({
  user: trackingString.meta({
    description:
      'The tracking string, percent-encoded. No path can name the users `.` and `..`: find them with `GET /end-users?user=`.',
  }),
});

const current = answerWith('EndUserAnswer', endUser, example);

export const endUserOperations = defineOperations(common, {
  listEndUsers: {
    route: 'GET /end-users',
    summary: 'List end users',
    description:
      'Lists the registered end users of the organization, the oldest first. Users who register while you read the pages come last. Users who become active or inactive meanwhile shift the pages; with `include_inactive=true` no page shifts.',
    query: z.object({
      ...pageQuery,
      user: trackingString
        .optional()
        .meta({ description: 'Only the end user with exactly this tracking string.' }),
      include_inactive: queryFlag()
        .default(false)
        .meta({ description: 'True: returns inactive end users too.' }),
    }),
    responses: { 200: { description: 'One page of end users.', ...pageOf('EndUserList', endUser, example) } },
  },

  createEndUser: {
    route: 'POST /end-users',
    summary: 'Register an end user',
    description:
      'Registers an end user. An inactive end user becomes active again; an active one is a 409. Requests may also name end users that are not registered.',
    body: {
      schema: z.object({ user: trackingString }).meta({ id: 'NewEndUser' }),
      examples: { register: { summary: 'With your own name for them', value: { user: 'customer-1' } } },
    },
    idempotent: true,
    responses: { 201: { description: 'The end user.', headers: REPLAY_HEADER, ...current } },
  },

  getEndUser: {
    route: 'GET /end-users/{user}',
    summary: 'Get an end user',
    description: 'Returns an active or inactive end user.',
    params,
    responses: { 200: { description: 'The end user.', ...current } },
    errors: [400, 404],
  },

  updateEndUser: {
    route: 'PATCH /end-users/{user}',
    errorMessages: 'exact',
    summary: 'Update an end user',
    description: 'Sets whether the end user is active. This does not affect requests that name the end user.',
    params,
    body: {
      schema: z.object({ is_active: z.boolean() }).meta({ id: 'EndUserChanges' }),
      examples: { deactivate: { summary: 'No longer active', value: { is_active: false } } },
    },
    responses: { 200: { description: 'The end user as it is now.', ...current } },
    errors: [404],
  },

  deleteEndUser: {
    route: 'DELETE /end-users/{user}',
    summary: 'Deactivate an end user',
    description: 'Makes the end user inactive and keeps the registration. Repeating the request succeeds.',
    params,
    responses: { 204: { description: 'The end user is inactive.' } },
    errors: [400, 404],
  },
});
