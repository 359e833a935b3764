import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runMembers } from '../../admin/members.ts';
import { AdminUsageError } from '../../admin/arguments.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { addKey } from '../support/accounts.ts';
import { runAdmin } from '../support/admin.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makeWorkspace } from '../support/workspaces.ts';

interface Member {
  id: string;
  email: string;
  role: string;
}

let gateway: Gateway;
let database: Database;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  database = createDatabase({ url: gateway.config.database.url, poolMax: 2 });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await database.close();
  await gateway.close();
});

const members = (...args: string[]): Promise<string> => runMembers(database.knex, args);

/** What is printed when it cannot be done. */
const refusal = async (...args: string[]): Promise<string> => {
  const error: unknown = await members(...args).catch((thrown: unknown) => thrown);
  if (!(error instanceof AdminUsageError)) throw new Error('it was done', { cause: error });
  return error.message;
};

async function listed(): Promise<Member[]> {
  const response = await manager.call('GET', '/organization/members');
  return ((await response.json()) as { data: Member[] }).data;
}

const rolesInTeam = async (): Promise<string[]> => {
  const response = await manager.call('GET', '/workspaces/team/members');
  return ((await response.json()) as { data: { role: string }[] }).data.map(({ role }) => role);
};

describe('admin members', () => {
  test('adds a member, changes the role and removes them, each with an audit row', async () => {
    const added = await runAdmin(gateway, [
      'members',
      'add',
      '--email',
      'ada@example.com',
      '--first-name',
      'Ada',
    ]);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^user_\w+ is a member\n$/) });
    const [id] = added.stdout.split(' ') as [string];
    expect(await listed()).toContainEqual({
      id,
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: null,
      role: 'org:member',
    });
    expect(await members('list')).toMatch(new RegExp(`^${id}  org:member  ada@example.com .*Ada`, 'm'));

    await makeWorkspace(manager, 'team');
    await manager.call('POST', '/workspaces/team/members/add', { body: { user_ids: [id] } });
    expect(await members('role', id, 'admin')).toBe(`${id} is org:admin`);
    expect(await rolesInTeam()).toEqual(['admin']);

    const key = await addKey(gateway, { creatorUserId: id });
    expect(await refusal('remove', id)).toContain(key.hash);
    expect(await rolesInTeam()).toEqual(['admin']);
    await manager.call('DELETE', `/keys/${key.hash}`);
    expect(await members('remove', id)).toBe(`${id} is no longer a member`);
    expect((await listed()).map((member) => member.id)).not.toContain(id);
    expect(await rolesInTeam()).toEqual([]);

    const rows = await auditRows(gateway, `organization/members/${id}`);
    expect(rows.map(({ action, key_hash: hash }) => [action, hash])).toEqual([
      ['addOrganizationMember', null],
      ['updateOrganizationMember', null],
      ['removeOrganizationMember', null],
    ]);
  });

  test('refuses invalid emails, roles and members with the reason', async () => {
    const before = await listed();
    const [first] = before;
    const refusals: [args: string[], words: string][] = [
      [['add'], '--email is missing'],
      [['add', '--email', 'nobody'], 'must be an email address'],
      [['add', '--email', first!.email.toUpperCase()], 'is a member with this address already'],
      [['add', '--email', 'b@example.com', '--role', 'constructor'], 'must be one of admin, member'],
      [['role', 'user_nobody', 'admin'], 'There is no such member'],
      [['remove', 'user_nobody'], 'There is no such member'],
      [['constructor'], 'one of list, add, role, remove'],
    ];
    for (const [args, words] of refusals) expect(await refusal(...args)).toContain(words);
    expect(await listed()).toEqual(before);
  });
});
