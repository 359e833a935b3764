/** Finds the organization on which an admin command acts. */
import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import { AdminUsageError } from './arguments.ts';

const LIST = 'See: npm run admin -- organizations list';

/**
 * Takes `--organization ID` out of the arguments. Without it, the command acts on the only organization; it is an error
 * if there are several, because a command must not change the wrong one.
 */
export async function takeOrganization(
  knex: Handle,
  args: string[],
): Promise<{ organizationId: string; rest: string[] }> {
  const { id, rest } = splitOrganization(args);
  const organizationId =
    id === undefined ? await onlyOrganization(knex) : await requireOrganization(knex, id);
  return { organizationId, rest };
}

function splitOrganization(args: string[]): { id: string | undefined; rest: string[] } {
  const options = { organization: { type: 'string' } } as const;
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true, allowPositionals: true });
  const token = tokens.find((candidate) => candidate.kind === 'option' && candidate.name === 'organization');
  if (token?.kind !== 'option') return { id: undefined, rest: args };
  if (token.value === undefined) throw new AdminUsageError(`--organization needs an id. ${LIST}`);
  return { id: token.value, rest: args.toSpliced(token.index, token.inlineValue === true ? 1 : 2) };
}

async function onlyOrganization(knex: Handle): Promise<string> {
  const [first, second] = await createAccountStore(knex).firstOrganizations(2);
  if (first === undefined) {
    throw new AdminUsageError('There is no organization yet. First: npm run admin -- bootstrap');
  }
  if (second !== undefined) {
    throw new AdminUsageError(`There are several organizations. Name one: --organization ID. ${LIST}`);
  }
  return first.id;
}

/** Returns the id as the database has it. */
export async function requireOrganization(knex: Handle, id: string): Promise<string> {
  const found = UUID_PATTERN.test(id) && (await createAccountStore(knex).hasOrganization(id));
  if (!found) throw new AdminUsageError(`There is no organization "${id}". ${LIST}`);
  return id.toLowerCase();
}
