import { parseArgs } from 'node:util';
import { createAccountStore } from '../db/accounts/account-store.ts';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/connection.ts';
import { createOrganizationStore } from '../db/accounts/organization-store.ts';
import { type Entitlement, ENTITLEMENTS, isEntitlement } from '../domain/entitlement.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import { wrongUsage } from './arguments.ts';
import { AdminUsageError } from './usage-error.ts';

export const ENTITLEMENTS_USAGE = `entitlements --organization ID [--add NAME]... [--remove NAME]...`;

/** Runs `admin entitlements`: lists or changes an organization's entitlements. Returns the text to print. */
export async function runEntitlements(knex: Handle, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      organization: { type: 'string' },
      add: { type: 'string', multiple: true, default: [] },
      remove: { type: 'string', multiple: true, default: [] },
    },
  });
  const id = values.organization;
  if (id === undefined) throw wrongUsage('entitlements', '--organization is missing');
  const add = parseEntitlements(values.add);
  const remove = parseEntitlements(values.remove);
  const named = add.find((name) => remove.includes(name));
  if (named !== undefined) throw new AdminUsageError(`${named} cannot be added and removed at once`);
  const names = UUID_PATTERN.test(id) ? await changeEntitlements(knex, id, { add, remove }) : null;
  if (names === null) throw new AdminUsageError(await noSuchOrganization(knex));
  return names.length === 0 ? 'none' : names.join('\n');
}

/**
 * Adds and removes entitlements of an organization, with an audit entry if anything changes. Returns the result; null
 * if there is no such organization.
 */
export function changeEntitlements(
  knex: Handle,
  organizationId: string,
  { add = [], remove = [] }: { add?: readonly Entitlement[]; remove?: readonly Entitlement[] },
): Promise<string[] | null> {
  return knex.transaction(async (transaction) => {
    const store = createOrganizationStore(transaction);
    const before = await store.lockEntitlements(organizationId);
    if (before === null) return null;
    const kept = before.filter((name) => !remove.some((removed) => removed === name));
    const after = [...new Set([...kept, ...add])];
    if (after.length === before.length && after.every((name) => before.includes(name))) return before;
    await store.setEntitlements(organizationId, after);
    const entry = { action: 'updateEntitlements', target: `organizations/${organizationId.toLowerCase()}` };
    await createAuditStore(transaction).insert({ organizationId }, entry);
    return after;
  });
}

/** Returns the names as entitlements. Throws if a name is not an entitlement. */
export function parseEntitlements(names: readonly string[]): Entitlement[] {
  return names.map((name) => {
    if (isEntitlement(name)) return name;
    throw new AdminUsageError(`${name} is no entitlement. There are: ${ENTITLEMENTS.join(', ')}`);
  });
}

async function noSuchOrganization(knex: Handle): Promise<string> {
  const first = await createAccountStore(knex).firstOrganization();
  const hint = first === null ? 'First: npm run admin -- bootstrap' : `The first one is ${first.id}`;
  return `There is no such organization. ${hint}`;
}
