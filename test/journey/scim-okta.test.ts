import { describe, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { statusesBecome } from '../support/keys.ts';
import { mapGroup, memberWith, type ScimClient, useScim } from '../support/scim.ts';
import { play, type ScimIds, type ScimStep } from '../support/scim-script.ts';
import { makeWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let manager: Caller;
let client: ScimClient;

useScim((...opened) => {
  [gateway, client] = opened;
  manager = createCaller(gateway.origin, gateway.managementKey);
});

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

const EMPTY_LIST = { schemas: [LIST], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] };

/** Everything that Okta knows about a user, as it sends it. */
const assigned = (name: string) => ({
  schemas: [USER],
  userName: `${name}@example.com`,
  name: { givenName: 'Grace', familyName: 'Hopper' },
  emails: [{ primary: true, value: `${name}@example.com`, type: 'work' }],
  displayName: 'Grace Hopper',
  locale: 'en-US',
  externalId: `00u-${name}`,
  groups: [],
  password: '1mz050nq',
  active: true,
});

const assign = (name: string): ScimStep[] => [
  {
    does: 'tests the connection',
    send: ['GET', '/Users?startIndex=1&count=2'],
    gets: { status: 200, body: { schemas: [LIST], startIndex: 1 } },
  },
  {
    does: 'looks the user up',
    send: ['GET', `/Users?filter=userName eq "${name}@example.com"&startIndex=1&count=100`],
    gets: { status: 200, body: EMPTY_LIST },
  },
  {
    does: 'creates the user',
    send: ['POST', '/Users', assigned(name)],
    gets: {
      status: 201,
      body: { userName: `${name}@example.com`, active: true, externalId: `00u-${name}`, groups: [] },
    },
    names: 'user',
  },
  {
    does: 'reads the user',
    send: ['GET', '/Users/<user>'],
    gets: { status: 200, body: { id: '<user>', name: { givenName: 'Grace' } } },
  },
];

const activation = (active: boolean): ScimStep => ({
  does: active ? 'activates the user by PATCH' : 'deactivates the user by PATCH',
  send: [
    'PATCH',
    '/Users/<user>',
    { schemas: [PATCH_OP], Operations: [{ op: 'replace', value: { active } }] },
  ],
  gets: { status: 200, body: { id: '<user>', active } },
});

const replacement = (name: string, facts: object): ScimStep => ({
  does: 'replaces the user',
  send: [
    'PUT',
    '/Users/<user>',
    { ...assigned(name), id: '<user>', meta: { resourceType: 'User' }, ...facts },
  ],
  gets: { status: 200, body: { id: '<user>', ...facts } },
});

/** The keys of somebody: one that they made, and one that carries the name that Okta knows them by. */
async function keysOf(userId: string, externalId: string): Promise<[string, string]> {
  const [made, named] = [
    await addKey(gateway, { creatorUserId: userId }),
    await addKey(gateway, { identitySubject: externalId }),
  ];
  return [made.token, named.token];
}

describe('Okta', () => {
  test.each<[string, string, (active: boolean, name: string) => ScimStep]>([
    ['an app of the catalog, which sends PATCH', 'oin', (active) => activation(active)],
    ['an app of the wizard, which sends PUT', 'aiw', (active, name) => replacement(name, { active })],
  ])('assigns, deactivates and reactivates a user through %s', async (_what, name, setActive) => {
    const ids: ScimIds = new Map();
    await play(client, assign(name), ids);
    const member = await memberWith(gateway, `${name}@example.com`);
    expect(member).toMatchObject({ role: 'org:member', first_name: 'Grace', last_name: 'Hopper' });
    const keys = await keysOf(member!.id, `00u-${name}`);
    await statusesBecome(gateway, keys, 200);

    await play(client, [setActive(false, name)], ids);
    expect(await memberWith(gateway, `${name}@example.com`)).toBeUndefined();
    await statusesBecome(gateway, keys, 401);

    await play(client, [setActive(true, name)], ids);
    expect(await memberWith(gateway, `${name}@example.com`)).toEqual(member);
    await statusesBecome(gateway, keys, 401);
  });

  test('changes a profile, and the password is never stored', async () => {
    const ids: ScimIds = new Map();
    await play(client, assign('profile'), ids);
    await play(
      client,
      [replacement('profile', { name: { givenName: 'Grace', familyName: 'Murray' }, title: 'Admiral' })],
      ids,
    );
    expect(await memberWith(gateway, 'profile@example.com')).toMatchObject({ last_name: 'Murray' });
    const { body } = await client.call('GET', `/Users/${ids.get('user')}`);
    expect(body).not.toHaveProperty('password');
    const { rows } = await gateway.database.query('select * from directory_people');
    expect(JSON.stringify(rows)).not.toContain('1mz050nq');
  });

  test('gets 409 when it creates a known user again, and then finds the user', async () => {
    const ids: ScimIds = new Map();
    await play(client, assign('again'), ids);
    await play(
      client,
      [
        {
          does: 'creates the user a second time',
          send: ['POST', '/Users', assigned('again')],
          gets: { status: 409, body: { status: '409', scimType: 'uniqueness' } },
        },
        {
          does: 'looks the user up',
          send: ['GET', '/Users?filter=userName eq "AGAIN@example.com"&startIndex=1&count=100'],
          gets: { status: 200, body: { totalResults: 1, itemsPerPage: 1, Resources: [{ id: '<user>' }] } },
        },
      ],
      ids,
    );
  });
});

/** Pushes a new group. */
const groupPush = (name: string): ScimStep[] => [
  {
    does: 'lists the groups',
    send: ['GET', '/Groups?startIndex=1&count=100'],
    gets: { status: 200, body: { schemas: [LIST], startIndex: 1 } },
  },
  {
    does: 'looks the group up',
    send: ['GET', `/Groups?filter=displayName eq "${name}"&startIndex=1&count=100`],
    gets: { status: 200, body: EMPTY_LIST },
  },
  {
    does: 'creates the group',
    send: ['POST', '/Groups', { schemas: [GROUP], displayName: name, members: [] }],
    gets: { status: 201, body: { displayName: name, members: [] } },
    names: 'group',
  },
];

const membership = (does: string, ...operations: object[]): ScimStep => ({
  does,
  send: ['PATCH', '/Groups/<group>', { schemas: [PATCH_OP], Operations: operations }],
  gets: { status: 200, body: { id: '<group>' } },
});

describe('Okta’s group push', () => {
  test('changes workspace roles and keys by adding and removing members', async () => {
    const ids: ScimIds = new Map();
    await play(client, assign('sales'), ids);
    const member = await memberWith(gateway, 'sales@example.com');
    await play(client, groupPush('Sales'), ids);
    const { id: workspaceId } = await makeWorkspace(manager, 'sales');
    await mapGroup(gateway, ids.get('group')!, workspaceId, 'admin');
    const key = await addKey(gateway, { creatorUserId: member!.id, workspaceId });

    await play(
      client,
      [
        membership('adds a member', {
          op: 'add',
          path: 'members',
          value: [{ value: '<user>', display: 'sales@example.com' }],
        }),
      ],
      ids,
    );
    expect(await rolesIn('sales')).toEqual([[member!.id, 'admin']]);
    await play(
      client,
      [
        {
          does: 'renames the group',
          send: [
            'PATCH',
            '/Groups/<group>',
            {
              schemas: [PATCH_OP],
              Operations: [{ op: 'replace', value: { id: '<group>', displayName: 'Sellers' } }],
            },
          ],
          gets: { status: 200, body: { id: '<group>', displayName: 'Sellers' } },
        },
        {
          does: 'reads the group',
          send: ['GET', '/Groups/<group>'],
          gets: { status: 200, body: { displayName: 'Sellers', members: [{ value: '<user>' }] } },
        },
      ],
      ids,
    );
    expect(await rolesIn('sales')).toEqual([[member!.id, 'admin']]);
    await statusesBecome(gateway, [key.token], 200);

    await play(
      client,
      [membership('removes a member', { op: 'remove', path: 'members[value eq "<user>"]' })],
      ids,
    );
    expect(await rolesIn('sales')).toEqual([]);
    await statusesBecome(gateway, [key.token], 401);
    expect(await memberWith(gateway, 'sales@example.com')).toEqual(member);
  });

  test('replaces all members, and deletes the group', async () => {
    const ids: ScimIds = new Map();
    await play(client, assign('support'), ids);
    const member = await memberWith(gateway, 'support@example.com');
    await play(client, groupPush('Support'), ids);
    const { id: workspaceId } = await makeWorkspace(manager, 'support');
    await mapGroup(gateway, ids.get('group')!, workspaceId, 'member');
    const value = [{ value: '<user>', display: 'support@example.com' }];
    await play(client, [membership('replaces', { op: 'replace', path: 'members', value })], ids);
    expect(await rolesIn('support')).toEqual([[member!.id, 'member']]);
    await play(
      client,
      [
        { does: 'deletes the group', send: ['DELETE', '/Groups/<group>'], gets: { status: 204 } },
        { does: 'reads the group', send: ['GET', '/Groups/<group>'], gets: { status: 404, body: {} } },
      ],
      ids,
    );
    expect(await rolesIn('support')).toEqual([]);
  });
});

async function rolesIn(slug: string): Promise<[string, string][]> {
  const response = await manager.call('GET', `/workspaces/${slug}/members`);
  const { data } = (await response.json()) as { data: { user_id: string; role: string }[] };
  return data.map(({ user_id: id, role }) => [id, role]);
}
