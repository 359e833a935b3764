import { parseArgs } from 'node:util';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createOrganizationStore } from '../db/accounts/organization-store.ts';
import { type Entitlement, ENTITLEMENTS, isEntitlement } from '../domain/entitlement.ts';
import { takeOrganization } from './organization.ts';
import { AdminUsageError } from './arguments.ts';

export const ENTITLEMENTS_USAGE = `entitlements [--organization ID] [--add NAME]... [--remove NAME]...`;

/** Runs `admin entitlements`: lists or changes an organization's entitlements. Returns the text to print. */
export async function runEntitlements(knex: Handle, args: string[]): Promise<string> {
  const { organizationId, rest } = await takeOrganization(knex, args);
  const { values } = parseArgs({
    args: rest,
    options: {
      add: { type: 'string', multiple: true, default: [] },
      remove: { type: 'string', multiple: true, default: [] },
    },
  });
  const add = parseEntitlements(values.add);
  const remove = parseEntitlements(values.remove);
  const named = add.find((name) => remove.includes(name));
  if (named !== undefined) throw new AdminUsageError(`${named} cannot be added and removed at once`);
  const names = (await changeEntitlements(knex, organizationId, { add, remove })) ?? [];
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
