/** Declares the parts that operations on the secrets of a workspace and of an intern share. */
import { INTERNS_ENTITLEMENT } from '../../domain/entitlement.ts';
import * as examples from './vault-examples.ts';
import { newSecret, vaultPageQuery } from './vault-fields.ts';
import { vaultSecretAnswer, vaultSecretList } from './vault-record.ts';

/** The properties that all operations on vaults share. */
export const vaultOperation = { access: 'any', programme: INTERNS_ENTITLEMENT, tag: 'Vault' } as const;

export const listing = {
  query: vaultPageQuery,
  responses: {
    200: {
      description: 'One page of secrets.',
      schema: vaultSecretList,
      example: { data: [examples.secret], has_more: false },
    },
  },
} as const;

export const storing = {
  body: { schema: newSecret, examples: examples.newSecrets },
  responses: {
    200: {
      description: 'The secret, without its value.',
      schema: vaultSecretAnswer,
      example: { data: examples.secret },
    },
  },
  errors: [409],
} as const;

export const deleting = {
  responses: { 204: { description: 'The secret is deleted.' } },
  errors: [400],
} as const;
