/** Declares the operations on the secrets of a workspace and of its interns. */
import { z } from 'zod';
import { MAX_SECRETS_OF_VAULT } from '../../domain/interns/vault.ts';
import { defineOperations } from '../operation.ts';
import { copyRequest, secretName, vaultPageQuery } from './vault-fields.ts';
import { deleting, listing, storing, vaultOperation } from './vault-parts.ts';
import { internParams } from './intern.ts';
import * as examples from './vault-examples.ts';
import { connectionList, copiedSecrets, effectiveSecretList } from './vault-record.ts';

const params = z.object({ name: secretName });
const internSecretParams = internParams.extend({ name: secretName });

export const vaultOperations = defineOperations(vaultOperation, {
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

  listInternVaultSecrets: {
    ...listing,
    route: 'GET /vault/interns/{internId}/secrets',
    summary: 'List secrets of an intern',
    description: "Lists the secrets in the intern's own vault by name, without their values.",
    params: internParams,
  },

  storeInternVaultSecret: {
    ...storing,
    route: 'PUT /vault/interns/{internId}/secrets/{name}',
    summary: 'Store a secret of an intern',
    description: `Stores a secret for this intern only, and for interns that its vault is attached to. A secret of the same name is replaced. A vault holds ${MAX_SECRETS_OF_VAULT} secrets.`,
    params: internSecretParams,
  },

  deleteInternVaultSecret: {
    ...deleting,
    route: 'DELETE /vault/interns/{internId}/secrets/{name}',
    summary: 'Delete a secret of an intern',
    params: internSecretParams,
  },

  copyVaultSecretsToIntern: {
    route: 'POST /vault/interns/{internId}/secrets/copy',
    summary: 'Copy secrets to an intern',
    description:
      "Copies secrets of the workspace into the intern's own vault, all of them or none. The copies stay as they are when the secrets of the workspace change. Secrets of the intern with the same names are replaced.",
    params: internParams,
    body: { schema: copyRequest, examples: examples.copies },
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

  listEffectiveSecrets: {
    route: 'GET /vault/interns/{internId}/effective-secrets',
    errorMessages: 'exact',
    summary: 'List the secrets that an intern receives',
    description:
      "Lists the secrets that the intern receives, one for each name, sorted by name. A secret in the intern's own vault precedes one in the attached vault, which precedes one of the workspace. The requests of the intern use the same secrets. If the intern that owns the attached vault was deleted, the response is a 404 with the reason `attached_vault_unavailable`, and the intern receives no secrets until the vault is detached.",
    params: internParams,
    query: vaultPageQuery,
    responses: {
      200: {
        description: 'One page of secrets, without their values.',
        schema: effectiveSecretList,
        example: { data: [{ ...examples.secret, scope: 'workspace' }], has_more: false },
      },
    },
  },

  listInternConnections: {
    route: 'GET /vault/interns/{internId}/connections',
    summary: 'List connections of an intern',
    description: 'Sluice has no connections, so the list is empty.',
    params: internParams,
    responses: {
      200: { description: 'An empty list.', schema: connectionList, example: { data: [] } },
    },
  },
});
