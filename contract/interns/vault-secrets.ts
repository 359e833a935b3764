/** Declares the operations on the secrets of a workspace. */
import { z } from 'zod';
import { MAX_SECRETS_OF_VAULT } from '../../domain/interns/vault.ts';
import { defineOperations } from '../operation.ts';
import * as examples from './vault-examples.ts';
import { newSecret, secretName, vaultPageQuery } from './vault-fields.ts';
import { vaultSecretAnswer, vaultSecretList } from './vault-record.ts';

const params = z.object({ name: secretName });

export const vaultSecretOperations = defineOperations({
  listVaultSecrets: {
    method: 'get',
    path: '/vault/secrets',
    access: 'any',
    programme: 'interns',
    tag: 'Vault',
    summary: 'List secrets of the workspace',
    description:
      "Lists the secrets of the key's workspace by name, without their values. The default workspace also lists secrets that were stored before there were workspaces.",
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

  storeVaultSecret: {
    method: 'put',
    path: '/vault/secrets/{name}',
    access: 'any',
    programme: 'interns',
    tag: 'Vault',
    summary: 'Store a secret of the workspace',
    description: `Stores a secret that every intern of the workspace receives. A secret of the same name is replaced. A vault holds ${MAX_SECRETS_OF_VAULT} secrets.`,
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

  deleteVaultSecret: {
    method: 'delete',
    path: '/vault/secrets/{name}',
    access: 'any',
    programme: 'interns',
    tag: 'Vault',
    summary: 'Delete a secret of the workspace',
    params,
    responses: { 204: { description: 'The secret is deleted.' } },
    errors: [400],
  },
});
