/** Declares the operations on the vendor keys that customers bring. */
import { z } from 'zod';
import { MAX_CREDENTIALS_OF_WORKSPACE } from '../../domain/endpoints/byok-credential.ts';
import { answerWith, deletion, pageOf } from '../answers.ts';
import { REPLAY_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { idParams } from '../params.ts';
import { pageQuery } from '../query-values.ts';
import { text } from '../text.ts';
import { byokKeyChanges, newByokKey } from './byok-body.ts';
import * as examples from './byok-examples.ts';
import { byokKey } from './byok-record.ts';

const common = { access: 'management', tag: 'Own keys' } as const;
const params = idParams('credential', examples.byokKeyId);

const current = answerWith('ByokKeyAnswer', byokKey, examples.byokKeyRecord);

export const byokKeyOperations = defineOperations(common, {
  listByokKeys: {
    route: 'GET /byok',
    summary: 'List own keys',
    description:
      'Lists the keys of vendors that a workspace may use, organization-wide ones included, in the order in which they are tried.',
    query: z.object({
      ...pageQuery,
      workspace_id: z.uuid().optional().meta({ description: 'Absent: the default workspace.' }),
      provider: text({ min: 1 }).optional().meta({ description: 'Only keys of this provider.' }),
    }),
    responses: {
      200: {
        description: 'One page of credentials.',
        ...pageOf('ByokKeyList', byokKey, examples.byokKeyRecord),
      },
    },
  },

  createByokKey: {
    route: 'POST /byok',
    summary: 'Bring a key',
    description: `Stores your own key of a vendor. Requests then use your account at the vendor and cost no credits. A workspace may have ${MAX_CREDENTIALS_OF_WORKSPACE} credentials, and the organization may have as many that all workspaces share. A new credential is tried last.`,
    body: { schema: newByokKey, examples: examples.requests },
    idempotent: true,
    responses: {
      201: { description: 'The credential, without the key.', headers: REPLAY_HEADER, ...current },
    },
  },

  getByokKey: {
    route: 'GET /byok/{id}',
    summary: 'Get an own key',
    params,
    responses: { 200: { description: 'The credential, without the key.', ...current } },
    errors: [404],
  },

  updateByokKey: {
    route: 'PATCH /byok/{id}',
    summary: 'Update an own key',
    description:
      'Changes the fields in the body and leaves the others. A body without a field to change is a 400. `key` replaces the stored key.',
    params,
    body: { schema: byokKeyChanges, examples: examples.changes },
    responses: { 200: { description: 'The credential as it is now.', ...current } },
    errors: [404],
  },

  deleteByokKey: {
    route: 'DELETE /byok/{id}',
    summary: 'Delete an own key',
    description:
      'Deletes the credential and wipes the stored key at once. Video jobs that run with it fail and are not billed.',
    params,
    responses: { 200: { description: 'The credential is deleted.', ...deletion('ByokKeyDeleted') } },
    errors: [404],
  },
});
