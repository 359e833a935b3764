/** Declares the operations on the secrets of one intern's vault. */
import { MAX_SECRETS_OF_VAULT } from '../../domain/interns/vault.ts';
import { defineOperations } from '../operation.ts';
import { internParams } from './intern.ts';
import * as examples from './vault-examples.ts';
import { copyRequest, secretName } from './vault-fields.ts';
import { deleting, listing, storing, vaultOperation } from './vault-operations.ts';
import { copiedSecrets } from './vault-record.ts';

const params = internParams.extend({ name: secretName });

export const vaultInternSecretOperations = defineOperations(vaultOperation, {
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
    params,
  },

  deleteInternVaultSecret: {
    ...deleting,
    route: 'DELETE /vault/interns/{internId}/secrets/{name}',
    summary: 'Delete a secret of an intern',
    params,
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
});
