/** Declares the operations that list the secrets that an intern receives, and its connections. */
import { defineOperations } from '../operation.ts';
import { internParams } from './intern.ts';
import * as examples from './vault-examples.ts';
import { vaultPageQuery } from './vault-fields.ts';
import { vaultOperation } from './vault-operations.ts';
import { connectionList, effectiveSecretList } from './vault-record.ts';

export const vaultEffectiveOperations = defineOperations(vaultOperation, {
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
