import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import type { Handle } from '../db/connection.ts';
import { AppError } from '../domain/errors.ts';
import { insertScimToken } from '../services/directory/tokens/create-scim-token.ts';
import { AdminUsageError } from './usage-error.ts';

export const SCIM_TOKEN_USAGE = `scim-token [--label NAME]`;

const MAX_LABEL_LENGTH = 256;

/**
 * Runs `admin scim-token` on the first organization: creates a token for an identity provider. Returns the text to
 * print.
 */
export async function runScimToken(knex: Handle, publicUrl: string, args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { label: { type: 'string', default: 'SCIM' } } });
  const { label } = values;
  if (label === '' || label.length > MAX_LABEL_LENGTH) {
    throw new AdminUsageError(`--label must have 1 to ${MAX_LABEL_LENGTH} characters`);
  }
  const organization = await createAccountStore(knex).firstOrganization();
  if (organization === null) {
    throw new AdminUsageError('There is no organization yet. First: npm run admin -- bootstrap');
  }
  const { token } = await knex
    .transaction((transaction) => insertScimToken(transaction, { organizationId: organization.id }, label))
    .catch(explain);
  return [
    'Shown only now. Enter both at the identity provider:',
    `base URL  ${publicUrl}/api/v1/scim/v2`,
    `token     ${token}`,
  ].join('\n');
}

/** Throws an API error as one line for an operator. */
function explain(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const issues = error.options.issues ?? [];
  throw new AdminUsageError(issues.map(({ message }) => message).join('\n'));
}
