import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/open-database.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import { addKey, addOrganization, addUser, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makeWorkspace } from '../support/workspaces.ts';
import { openTransaction } from '../support/handles.ts';

type OrganizationStore = ReturnType<typeof createOrganizationStore>;

interface WireMember {
  id: string;
  user_id: string;
  workspace_id: string;
  role: string;
  created_at: string;
}

let gateway: Gateway;
let place: Place;
let manager: Caller;
let workspaceId: string;
let admin: string;
let member: string;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

/** Each test has an organization of its own, with an administrator, a member, and a workspace beside the default. */
beforeEach(async () => {
  place = await addOrganization(gateway);
  manager = createCaller(gateway.origin, (await addKey(gateway, { ...place, kind: 'management' })).token);
  admin = await addUser(gateway, place.organizationId, 'org:admin');
  member = await addUser(gateway, place.organizationId);
  workspaceId = (await makeWorkspace(manager, 'team')).id;
});

const change = (verb: 'add' | 'remove', userIds: unknown, reference = 'team'): Promise<Response> =>
  manager.call('POST', `/workspaces/${reference}/members/${verb}`, { body: { user_ids: userIds } });

async function added(response: Response): Promise<{ data: WireMember[]; added_count: number }> {
  expect(response.status).toBe(200);
  return (await response.json()) as { data: WireMember[]; added_count: number };
}

async function list(reference: string, query = ''): Promise<{ data: WireMember[]; total_count: number }> {
  const response = await manager.call('GET', `/workspaces/${reference}/members${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as { data: WireMember[]; total_count: number };
}

const removed = async (response: Response): Promise<unknown> => [response.status, await response.json()];

const targets = async (): Promise<string[]> =>
  (await auditRows(gateway, `workspaces/${workspaceId}`)).slice(1).map(({ action }) => action);

describe('members of a workspace', () => {
  test('get the roles that they have in the organization', async () => {
    expect(await list('team')).toEqual({ data: [], total_count: 0 });
    const { data, added_count: count } = await added(await change('add', [admin, member]));
    expect(count).toBe(2);
    const roles = new Map(data.map(({ user_id: user, role }) => [user, role]));
    expect(roles).toEqual(
      new Map([
        [admin, 'admin'],
        [member, 'member'],
      ]),
    );
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: expect.any(String),
      workspace_id: workspaceId,
      role: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await list(workspaceId)).toEqual({ data, total_count: 2 });
    expect(await list('team', '?limit=1&offset=1')).toEqual({ data: [data[1]], total_count: 2 });
  });

  test('keep their records when they are added again', async () => {
    const { data } = await added(await change('add', [member, member]));
    expect(await added(await change('add', [member]))).toEqual({ data, added_count: 0 });
    const both = await added(await change('add', [member, admin]));
    expect(both.added_count).toBe(1);
    expect(both.data).toHaveLength(2);
    expect(await targets()).toEqual(['addWorkspaceMembers', 'addWorkspaceMembers']);
  });

  test('allow a repeated removal, which counts 0', async () => {
    await change('add', [admin, member]);
    expect(await removed(await change('remove', [member]))).toEqual([200, { removed_count: 1 }]);
    expect(await removed(await change('remove', [member]))).toEqual([200, { removed_count: 0 }]);
    expect((await list('team')).data.map(({ user_id: user }) => user)).toEqual([admin]);
    expect(await removed(await change('remove', [member, admin, admin]))).toEqual([
      200,
      { removed_count: 1 },
    ]);
    expect(await targets()).toEqual([
      'addWorkspaceMembers',
      'removeWorkspaceMembers',
      'removeWorkspaceMembers',
    ]);
  });

  test.each(['add', 'remove'] as const)(
    'must belong to the organization, or %s answers 404 and changes nothing',
    async (verb) => {
      const stranger = await addUser(gateway, (await addOrganization(gateway)).organizationId);
      await change('add', [admin]);
      const refuse = async (user: string) => errorOf(await change(verb, [admin, user]));
      const unknown = await refuse('user_nobody');
      expect(unknown).toMatchObject({
        code: 404,
        message: 'Resource not found',
        metadata: { issues: [{ path: 'body.user_ids.1', message: 'is no member of the organization' }] },
      });
      expect(await refuse(stranger)).toEqual(unknown);
      expect((await list('team')).data.map(({ user_id: user }) => user)).toEqual([admin]);
    },
  );

  describe('members that an operator changes at the same time', () => {
    /** Asks while the operator's change is made and not yet committed. */
    async function addDuring(change: (store: OrganizationStore) => Promise<unknown>): Promise<Response> {
      const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
      const transaction = await openTransaction(database.knex);
      try {
        await change(createOrganizationStore(transaction.handle));
        const adding = addMembers();
        const look = async (): Promise<true | undefined> => {
          const { rowCount } = await gateway.database.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rowCount === 0 ? undefined : true;
        };
        await eventually('the request waiting', look, 15_000).finally(() => transaction.commit());
        return await adding;
      } finally {
        await database.close();
      }
    }
    const addMembers = (): Promise<Response> => change('add', [admin, member]);

    test('get the role that the operator sets', async () => {
      const answer = await addDuring((store) => store.setRole(place.organizationId, member, 'org:admin'));
      expect((await added(answer)).data.map(({ role }) => role)).toEqual(['admin', 'admin']);
    });

    test('cause a 404 when the operator removes one', async () => {
      const answer = await addDuring((store) => store.removeMember(place.organizationId, member));
      expect((await errorOf(answer)).code).toBe(404);
      expect((await list('team')).total_count).toBe(0);
    });
  });

  test('cannot be removed while they own active keys of the workspace', async () => {
    await change('add', [admin, member]);
    const key = await addKey(gateway, { ...place, workspaceId, creatorUserId: member });
    expect(await errorOf(await change('remove', [admin, member]))).toMatchObject({
      code: 400,
      metadata: {
        issues: [{ path: 'body.user_ids.1', message: 'made keys of the workspace that are active' }],
      },
    });
    expect((await list('team')).total_count).toBe(2);
    await manager.call('DELETE', `/keys/${key.hash}`);
    expect(await removed(await change('remove', [admin, member]))).toEqual([200, { removed_count: 2 }]);
  });

  test.each([[[]], [[1]], [['a\0']], [null], ['user_x'], [Array.from({ length: 101 }, () => 'user_x')]])(
    'answer 400 for user_ids of %j',
    async (userIds) => {
      expect((await errorOf(await change('add', userIds))).code).toBe(400);
      expect((await errorOf(await change('remove', userIds))).code).toBe(400);
    },
  );
});

describe('the default workspace', () => {
  test('has all members of the organization, added or not', async () => {
    await gateway.database.query(
      `insert into workspace_members (id, workspace_id, user_id, role)
       values (gen_random_uuid(), $1, $2, 'admin')`,
      [place.workspaceId, member],
    );
    const everybody = await list(place.workspaceId);
    expect(everybody.data.map(({ user_id: user, role }) => [user, role])).toEqual([
      [admin, 'admin'],
      [member, 'member'],
    ]);
    expect(await list(place.workspaceId)).toEqual(everybody);
    expect(await added(await change('add', [member], place.workspaceId))).toEqual({
      data: [everybody.data[1]],
      added_count: 0,
    });
    expect(await list(place.workspaceId, '?offset=1')).toEqual({
      data: [everybody.data[1]],
      total_count: 2,
    });
  });

  test('answers 400 when a member is removed', async () => {
    expect(await errorOf(await change('remove', [member], place.workspaceId))).toMatchObject({
      code: 400,
      metadata: {
        issues: [
          {
            path: 'body.user_ids.0',
            message: 'belongs to the default workspace as a member of the organization',
          },
        ],
      },
    });
  });
});
