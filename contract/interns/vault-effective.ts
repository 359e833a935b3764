/** Declares the operations that list the secrets that an intern receives, and its connections. */
import { defineOperation } from '../operation.ts';
import * as examples from './vault-examples.ts';
import { vaultPageQuery } from './vault-fields.ts';
import { internParams } from './vault-intern-secrets.ts';
import { connectionList, effectiveSecretList } from './vault-record.ts';

export const listEffectiveSecrets = defineOperation({
  id: 'listEffectiveSecrets',
  method: 'get',
  path: '/vault/interns/{internId}/effective-secrets',
  access: 'any',
  errorMessages: 'exact',
  programme: 'interns',
  tag: 'Vault',
  summary: 'List the secrets that an intern receives',
  description:
    "Lists one entry for each name, by name: the secret in the intern's own vault, else in the attached one, else that of the workspace. Requests of the intern receive the same ones. 404 with the reason `attached_vault_unavailable` when the intern whose vault is attached was deleted: the intern then receives no secrets until the vault is detached.",
  params: internParams,
  query: vaultPageQuery,
  responses: {
    200: {
      description: 'One page of secrets, without their values.',
      schema: effectiveSecretList,
      example: { data: [{ ...examples.secret, scope: 'workspace' }], has_more: false },
    },
  },
  errors: [],
});

export const listInternConnections = defineOperation({
  id: 'listInternConnections',
  method: 'get',
  path: '/vault/interns/{internId}/connections',
  access: 'any',
  programme: 'interns',
  tag: 'Vault',
  summary: 'List connections of an intern',
  description: 'Sluice has no connections, so the list is empty.',
  params: internParams,
  responses: {
    200: { description: 'An empty list.', schema: connectionList, example: { data: [] } },
  },
  errors: [],
});
