/** Creates, lists, disables and enables organizations, for `admin organizations`. */
import { parseArgs } from 'node:util';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import { createCreditStore } from '../db/accounts/credit-store.ts';
import { createOrganizationStore } from '../db/accounts/organization-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import type { Encryption } from '../platform/encryption.ts';
import {
  oneOf,
  onlyPositional,
  parseAmount,
  parseEmail,
  pickVerb,
  required,
  requireNone,
  AdminUsageError,
} from './arguments.ts';
import { createFirstKeys, createOrganization, presentFirstKeys } from './create-organization.ts';
import { parseEntitlements } from './entitlements.ts';
import { requireOrganization } from './organization.ts';
import { formatTable } from './table.ts';

export const ORGANIZATIONS_USAGE = `organizations create --name NAME --email EMAIL [--entitlement NAME]... [--credit USD]
                     [--credit-enforcement on|off]
organizations list
organizations disable ID
organizations enable ID`;

const COMMAND = 'organizations';

/** `loadEncryption` reads the master keys, which only `create` needs. Returns the text to print. */
export async function runOrganizations(
  knex: Handle,
  loadEncryption: () => Encryption,
  args: string[],
): Promise<string> {
  const [verb, rest] = pickVerb(COMMAND, ['create', 'list', 'disable', 'enable'], args);
  switch (verb) {
    case 'create':
      return create(knex, loadEncryption(), rest);
    case 'list':
      requireNone(rest);
      return list(knex);
    case 'disable':
    case 'enable':
      return setDisabled(knex, onlyPositional(COMMAND, 'ID', rest), verb === 'disable');
  }
}

async function create(knex: Handle, encryption: Encryption, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      email: { type: 'string' },
      entitlement: { type: 'string', multiple: true, default: [] },
      credit: { type: 'string', default: '0' },
      'credit-enforcement': { type: 'string', default: 'on' },
    },
  });
  const draft = {
    organizationName: required(COMMAND, '--name', values.name),
    email: parseEmail(required(COMMAND, '--email', values.email)),
    entitlements: parseEntitlements(values.entitlement),
    creditEnforcement: oneOf('--credit-enforcement', values['credit-enforcement'], ['on', 'off']) === 'on',
  };
  const amountNanos = parseAmount('--credit', values.credit);
  if (amountNanos < 0n) throw new AdminUsageError('--credit must not be negative');
  return knex.transaction(async (transaction) => {
    await requireNewName(transaction, draft.organizationName);
    const organizationId = await createOrganization(transaction, draft, 'createOrganization');
    if (amountNanos > 0n) {
      const { id } = await createCreditStore(transaction).add(organizationId, { amountNanos, note: '' });
      const entry = { action: 'addCredits', target: `credits/${id}` };
      await createAuditStore(transaction).insert({ organizationId }, entry);
    }
    const made = await createFirstKeys(transaction, encryption, organizationId);
    return `Organization created.\n${presentFirstKeys(made)}`;
  });
}

/** Refuses a second organization of the same name, which a repeated command would make. */
async function requireNewName(transaction: Handle, name: string): Promise<void> {
  const organizations = await createOrganizationStore(transaction).list();
  const same = organizations.find((one) => one.name === name);
  if (same !== undefined) throw new AdminUsageError(`There is an organization "${name}" already: ${same.id}`);
}

async function list(knex: Handle): Promise<string> {
  const organizations = await createOrganizationStore(knex).list();
  return formatTable(
    ['organization', 'state', 'credit', 'entitlements', 'created at', 'name'],
    organizations.map(({ id, name, creditEnforcement, entitlements, disabledAt, createdAt }) => [
      id,
      disabledAt === null ? 'enabled' : `disabled since ${disabledAt.toISOString()}`,
      creditEnforcement ? 'enforced' : 'not enforced',
      entitlements.join(',') || '-',
      createdAt.toISOString(),
      name,
    ]),
  );
}

async function setDisabled(knex: Handle, id: string, disabled: boolean): Promise<string> {
  const organizationId = await requireOrganization(knex, id);
  const state = disabled ? 'disabled' : 'enabled';
  const isChanged = await knex.transaction(async (transaction) => {
    if (!(await createOrganizationStore(transaction).setDisabled(organizationId, disabled))) return false;
    const action = disabled ? 'disableOrganization' : 'enableOrganization';
    const entry = { action, target: `organizations/${organizationId}` };
    await createAuditStore(transaction).insert({ organizationId }, entry);
    return true;
  });
  return isChanged ? `${organizationId} is ${state}` : `${organizationId} was ${state} already`;
}
