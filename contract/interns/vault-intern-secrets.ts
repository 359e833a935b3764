/** Declares the operations on the secrets of one intern's vault. */
import { z } from 'zod';
import { MAX_SECRETS_OF_VAULT } from '../../domain/interns/vault.ts';
import { defineOperations } from '../operation.ts';
import * as examples from './vault-examples.ts';
import { copyRequest, newSecret, secretName, vaultPageQuery } from './vault-fields.ts';
import { copiedSecrets, vaultSecretAnswer, vaultSecretList } from './vault-record.ts';

/** The id may be any string. One that names no intern visible to the key is a 404. */
export const internParams = z.object({
  internId: z.string().meta({ description: 'The id of an intern.', examples: [examples.internId] }),
});

const params = internParams.extend({ name: secretName });

export const vaultInternSecretOperations = defineOperations({
  listInternVaultSecrets: {
    method: 'get',
    path: '/vault/interns/{internId}/secrets',
    access: 'any',
    programme: 'interns',
    tag: 'Vault',
    summary: 'List secrets of an intern',
    description: "Lists the secrets in the intern's own vault by name, without their values.",
    params: internParams,
    query: vaultPageQuery,
    responses: {
      200: {
        description: 'One page of secrets.',
        schema: vaultSecretList,
        example: { data: [examples.secret], has_more: false },
      },
    },
    errors: [],
  },

  storeInternVaultSecret: {
    method: 'put',
    path: '/vault/interns/{internId}/secrets/{name}',
    access: 'any',
    programme: 'interns',
    tag: 'Vault',
    summary: 'Store a secret of an intern',
    description: `Stores a secret for this intern only, and for interns that its vault is attached to. A secret of the same name is replaced. A vault holds ${MAX_SECRETS_OF_VAULT} secrets.`,
    params,
    body: { schema: newSecret, limit: 'default', examples: examples.newSecrets },
    responses: {
      200: {
        description: 'The secret, without its value.',
        schema: vaultSecretAnswer,
        example: { data: examples.secret },
      },
    },
    errors: [409],
  },

  deleteInternVaultSecret: {
    method: 'delete',
    path: '/vault/interns/{internId}/secrets/{name}',
    access: 'any',
    programme: 'interns',
    tag: 'Vault',
    summary: 'Delete a secret of an intern',
    params,
    responses: { 204: { description: 'The secret is deleted.' } },
    errors: [400],
  },

  copyVaultSecretsToIntern: {
    method: 'post',
    path: '/vault/interns/{internId}/secrets/copy',
    access: 'any',
    programme: 'interns',
    tag: 'Vault',
    summary: 'Copy secrets to an intern',
    description:
      "Copies secrets of the workspace into the intern's own vault, all of them or none. The copies stay as they are when the secrets of the workspace change. Secrets of the intern with the same names are replaced.",
    params: internParams,
    body: { schema: copyRequest, limit: 'default', examples: examples.copies },
    responses: {
      200: {
        description: 'The copies in the order of the request, without their values.',
        schema: copiedSecrets,
        example: {
          data: [examples.secret, { ...examples.secret, name: 'github_token', hosts: ['api.github.com'] }],
        },
      },
    },
    errors: [409],
  },
});
