import { parseArgs } from 'node:util';
import type { Handle } from '../db/postgres/connection.ts';
import { AppError } from '../domain/errors.ts';
import { insertScimToken } from '../services/directory/tokens/scim-token-service.ts';
import { takeOrganization } from './organization.ts';
import { AdminUsageError } from './arguments.ts';

export const SCIM_TOKEN_USAGE = `scim-token [--label NAME] [--organization ID]`;

const MAX_LABEL_LENGTH = 256;

/**
 * Runs `admin scim-token` on one organization: creates a token for an identity provider. Returns the text to
 * print.
 */
export async function runScimToken(knex: Handle, publicUrl: string, args: string[]): Promise<string> {
  const { organizationId, rest } = await takeOrganization(knex, args);
  const { values } = parseArgs({ args: rest, options: { label: { type: 'string', default: 'SCIM' } } });
  const { label } = values;
  if (label === '' || label.length > MAX_LABEL_LENGTH) {
    throw new AdminUsageError(`--label must have 1 to ${MAX_LABEL_LENGTH} characters`);
  }
  const { token } = await knex
    .transaction((transaction) => insertScimToken(transaction, { organizationId }, label))
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
