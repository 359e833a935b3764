/** Declares the operations on interns: their records, their status and their attached vaults. */
import { z } from 'zod';
import { INTERN_STATUSES, MAX_INTERN_PAGE } from '../../domain/interns/intern-record.ts';
import { INTERNS_ENTITLEMENT } from '../../domain/entitlement.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { listOf, queryInteger, queryList } from '../query-values.ts';
import * as examples from './intern-examples.ts';
import {
  attachedVault,
  intern,
  internChanges,
  internDeletion,
  internParams,
  internStatus,
  newIntern,
} from './intern.ts';

/** The properties that all operations on interns share. */
export const internOperation = { access: 'any', programme: INTERNS_ENTITLEMENT, tag: 'Interns' } as const;

const current = { schema: intern, example: examples.internExample };

/** The most statuses in one query. */
const MAX_STATUSES = INTERN_STATUSES.length;

export const internOperations = defineOperations(internOperation, {
  createIntern: {
    route: 'POST /interns',
    summary: 'Create an intern',
    description:
      'Registers an agent that runs on a host of yours, and creates its vault. A repeated request of the same creator with the same fields returns the intern as it is now; the same name with other fields is a 409. With an `Idempotency-Key`, only a request with that key is a repetition. An intern’s key gets a 404.',
    body: { schema: newIntern, examples: examples.creations },
    idempotent: true,
    responses: {
      201: { description: 'The intern is created.', schema: intern, example: examples.newInternExample },
      200: {
        description: 'An earlier request created the intern.',
        schema: intern,
        example: examples.newInternExample,
        headers: REPLAY_HEADER,
      },
    },
  },

  listInterns: {
    route: 'GET /interns',
    summary: 'List interns',
    description:
      'Lists the interns of the workspace of the key, the newest first. Interns that are created while you read the pages do not appear on later pages. No intern is repeated or skipped. An intern’s key gets a 404.',
    query: z.object({
      limit: queryInteger({ min: 1, max: MAX_INTERN_PAGE })
        .default(50)
        .meta({ description: 'The maximum number of interns to return.' }),
      status: queryList(INTERN_STATUSES)
        .refine((value) => listOf(value).length <= MAX_STATUSES, `must be at most ${MAX_STATUSES} names`)
        .optional()
        .meta({ description: `Only these statuses, separated by commas; at most ${MAX_STATUSES}.` }),
      starting_after: z.string().optional().meta({
        description: 'The `next_cursor` of the previous page.',
      }),
      workspace_id: z.string().optional().meta({
        description: 'The workspace of the key. Any other is a 404.',
      }),
    }),
    responses: {
      200: {
        description: 'One page of interns.',
        schema: z
          .object({
            data: z.array(intern),
            has_more: z.boolean(),
            next_cursor: z.string().optional().meta({ description: 'Present only if more interns follow.' }),
          })
          .meta({ id: 'InternList' }),
        example: { data: [examples.internExample], has_more: false },
      },
    },
  },

  getIntern: {
    route: 'GET /interns/{internId}',
    summary: 'Get an intern',
    description: 'An intern’s key sees its own intern only.',
    params: internParams,
    responses: { 200: { description: 'The intern.', ...current } },
  },

  updateIntern: {
    route: 'PATCH /interns/{internId}',
    summary: 'Update an intern',
    description:
      'Changes the fields in the body and leaves the others; null clears a field. A body without a field to change is a 400. The name of another intern of the same creator is a 409. An intern’s key gets a 403.',
    params: internParams,
    body: { schema: internChanges, examples: examples.changes },
    responses: { 200: { description: 'The intern as it is now.', ...current } },
    errors: [409],
  },

  deleteIntern: {
    route: 'DELETE /interns/{internId}',
    summary: 'Delete an intern',
    description:
      'Deletes the intern with its keys, its vault and the secrets in it, all at once. Its keys are refused everywhere within a second. An intern to which the vault is attached receives no secrets until the vault is detached. An intern’s key gets a 403.',
    params: internParams,
    body: { schema: internDeletion, optional: true, examples: examples.deletions },
    responses: {
      202: {
        description: 'The intern is deleted.',
        schema: z.object({ deleting: z.literal(true) }).meta({ id: 'InternDeleted' }),
        example: { deleting: true },
      },
    },
  },

  setInternStatus: {
    route: 'PUT /interns/{internId}/status',
    summary: 'Report the state of an intern',
    description:
      'Stores the state that the intern’s host reports; the gateway only shows it. An absent field becomes null. Only management keys may report; any other key gets a 403.',
    params: internParams,
    body: { schema: internStatus, examples: examples.reports },
    responses: { 200: { description: 'The intern as it is now.', ...current } },
  },

  attachVault: {
    route: 'PUT /interns/{internId}/attached-vault',
    summary: 'Borrow the vault of another intern',
    description:
      'Attaches the vault of another intern, in place of an attached one. The intern may then use the secrets of that vault. Its own secrets take precedence over those with the same name. A vault that belongs to no intern of the workspace is a 404, the intern’s own vault a 400. An intern’s key gets a 403.',
    params: internParams,
    body: {
      schema: attachedVault,
      examples: {
        borrow: {
          summary: 'The vault of another intern',
          value: { vault_id: examples.borrowerExample.attached_vault_id },
        },
      },
    },
    responses: {
      200: { description: 'The intern as it is now.', ...current, example: examples.borrowerExample },
    },
  },

  detachVault: {
    route: 'DELETE /interns/{internId}/attached-vault',
    summary: 'Give a borrowed vault back',
    description:
      'Detaches the vault. The intern then uses only the secrets of its own vault and of the workspace. Without an attached vault nothing changes. An intern’s key gets a 403.',
    params: internParams,
    responses: { 200: { description: 'The intern as it is now.', ...current } },
  },
});
