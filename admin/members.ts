import { parseArgs } from 'node:util';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createGroupMemberStore } from '../db/directory/group-member-store.ts';
import { lockDirectory } from '../db/accounts/lock-directory.ts';
import { createPeopleStore } from '../db/directory/people-store.ts';
import { createOrganizationStore } from '../db/accounts/organization-store.ts';
import type { OrganizationMember, OrganizationRole } from '../domain/accounts/organization.ts';
import {
  onlyPositional,
  parseEmail,
  pickVerb,
  positionalsOf,
  required,
  AdminUsageError,
} from './arguments.ts';
import { formatTable } from './table.ts';
import { takeOrganization } from './organization.ts';

export const MEMBERS_USAGE = `members list [--offset N]
members add --email ADDRESS [--first-name NAME] [--last-name NAME] [--role admin|member]
members role USER admin|member
members remove USER [--from-directory]
                      (each with --organization ID where there are several)`;

const SHOWN = 1_000;
const ROLES = new Map<string, OrganizationRole>([
  ['admin', 'org:admin'],
  ['member', 'org:member'],
]);

/** Runs `admin members …` on one organization. Each change writes an audit entry. Returns the text to print. */
export async function runMembers(knex: Handle, args: string[]): Promise<string> {
  const { organizationId, rest: words } = await takeOrganization(knex, args);
  const [verb, rest] = pickVerb('members', ['list', 'add', 'role', 'remove'], words);
  switch (verb) {
    case 'list':
      return listMembers(knex, organizationId, rest);
    case 'add':
      return addMember(knex, organizationId, rest);
    case 'role':
      return setRole(knex, organizationId, rest);
    case 'remove':
      return removeMember(knex, organizationId, rest);
  }
}

async function listMembers(knex: Handle, organizationId: string, args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { offset: { type: 'string', default: '0' } } });
  if (!/^\d{1,9}$/.test(values.offset)) throw new AdminUsageError('--offset must be a whole number');
  const offset = Number(values.offset);
  const { members, totalCount } = await createOrganizationStore(knex).listMembers(organizationId, {
    limit: SHOWN,
    offset,
  });
  const table = formatTable(
    ['user', 'role', 'email', 'name'],
    members.map((member) => [member.userId, member.role, member.email, nameOf(member)]),
  );
  const next = offset + members.length;
  return next < totalCount ? `${table}\n\nThere are ${totalCount}. More: --offset ${next}` : table;
}

function nameOf({ firstName, lastName }: OrganizationMember): string {
  return [firstName, lastName].filter((name) => name !== null).join(' ');
}

async function addMember(knex: Handle, organizationId: string, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      email: { type: 'string' },
      'first-name': { type: 'string' },
      'last-name': { type: 'string' },
      role: { type: 'string', default: 'member' },
    },
  });
  const member = {
    email: parseEmail(required('members', '--email', values.email)),
    firstName: values['first-name'] ?? null,
    lastName: values['last-name'] ?? null,
    role: parseRole(values.role),
  };
  const { userId } = await knex.transaction(async (transaction) => {
    const store = createOrganizationStore(transaction);
    const known = await store.lockByEmail(organizationId, member.email);
    if (known !== null) throw new AdminUsageError(`${known.userId} is a member with this address already`);
    const added = await store.addMember(organizationId, member);
    await audit(transaction, organizationId, 'addOrganizationMember', added.userId);
    return added;
  });
  return `${userId} is a member`;
}

async function setRole(knex: Handle, organizationId: string, args: string[]): Promise<string> {
  const [user = '', role = ''] = positionalsOf('members', ['USER', 'admin|member'], args);
  const parsed = parseRole(role);
  await knex.transaction(async (transaction) => {
    const store = createOrganizationStore(transaction);
    requireDone(user, await store.setRole(organizationId, user, parsed));
    await audit(transaction, organizationId, 'updateOrganizationMember', user);
  });
  return `${user} is ${parsed}`;
}

async function removeMember(knex: Handle, organizationId: string, args: string[]): Promise<string> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'from-directory': { type: 'boolean', default: false } },
  });
  const user = onlyPositional('members', 'USER', positionals);
  const fromDirectory = values['from-directory'];
  await knex.transaction(async (transaction) => {
    const store = createOrganizationStore(transaction);
    if (fromDirectory) await removePerson(transaction, organizationId, user);
    requireDone(user, await store.removeMember(organizationId, user));
    // Reads the keys after the removal, which waits for the commit of a key that is being created.
    const keys = await store.activeKeysOf(organizationId, user);
    if (keys.length > 0) {
      const list = keys.slice(0, 20).join('\n');
      throw new AdminUsageError(
        `${user} made ${keys.length} active keys. First: npm run admin -- keys disable\n${list}`,
      );
    }
    await audit(transaction, organizationId, 'removeOrganizationMember', user);
  });
  const note = 'If an identity provider still sends them, it makes them a member again.';
  return `${user} is no longer a member${fromDirectory ? `\n${note}` : ''}`;
}

/** Deletes the user's person from the stored directory, as a request of the identity provider would. */
async function removePerson(transaction: Handle, organizationId: string, user: string): Promise<void> {
  await lockDirectory(transaction, organizationId);
  const person = await createOrganizationStore(transaction).findPerson(organizationId, user);
  if (person === null)
    throw new AdminUsageError(`${user} is not in the directory. Leave out --from-directory`);
  await createPeopleStore(transaction).delete(person.id);
  await createGroupMemberStore(transaction).removePerson(person.id);
  const entry = { action: 'deleteProvisionedUser', target: `scim/v2/Users/${person.id}` };
  await createAuditStore(transaction).insert({ organizationId }, entry);
}

async function audit(
  transaction: Handle,
  organizationId: string,
  action: string,
  user: string,
): Promise<void> {
  const target = `organization/members/${user}`;
  await createAuditStore(transaction).insert({ organizationId }, { action, target });
}

function requireDone(user: string, outcome: boolean | 'last_admin' | 'managed'): void {
  switch (outcome) {
    case true:
      return;
    case false:
      throw new AdminUsageError('There is no such member. See: npm run admin -- members list');
    case 'last_admin':
      throw new AdminUsageError(
        `${user} is the only administrator of the organization. First: npm run admin -- members role USER admin`,
      );
    case 'managed':
      throw new AdminUsageError(
        `${user} belongs to the organization by its directory. Deactivate them at the identity provider, or, where no directory is connected any more: npm run admin -- members remove ${user} --from-directory`,
      );
  }
}

function parseRole(text: string): OrganizationRole {
  const role = ROLES.get(text);
  if (role === undefined) throw new AdminUsageError(`The role must be one of admin, member, not "${text}"`);
  return role;
}
