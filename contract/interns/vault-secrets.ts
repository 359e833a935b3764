/** Declares the operations on the secrets of a workspace. */
import { z } from 'zod';
import { MAX_SECRETS_OF_VAULT } from '../../domain/interns/vault.ts';
import { defineOperations } from '../operation.ts';
import { secretName } from './vault-fields.ts';
import { deleting, listing, storing, vaultOperation } from './vault-operations.ts';

const params = z.object({ name: secretName });

export const vaultSecretOperations = defineOperations(vaultOperation, {
  listVaultSecrets: {
    ...listing,
    route: 'GET /vault/secrets',
    summary: 'List secrets of the workspace',
    description:
      "Lists the secrets of the key's workspace by name, without their values. The default workspace also lists secrets that were stored before there were workspaces.",
  },

  storeVaultSecret: {
    ...storing,
    route: 'PUT /vault/secrets/{name}',
    summary: 'Store a secret of the workspace',
    description: `Stores a secret that every intern of the workspace receives. A secret of the same name is replaced. A vault holds ${MAX_SECRETS_OF_VAULT} secrets.`,
    params,
  },

  deleteVaultSecret: {
    ...deleting,
    route: 'DELETE /vault/secrets/{name}',
    summary: 'Delete a secret of the workspace',
    params,
  },
});
