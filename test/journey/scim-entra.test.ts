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
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const EMPTY_LIST = { totalResults: 0, itemsPerPage: 0, Resources: [] };

/** Everything that Entra ID knows about a user, as it sends it. */
const provisioned = (name: string) => ({
  schemas: [USER, ENTERPRISE],
  externalId: `oid-${name}`,
  userName: `${name}@example.com`,
  active: true,
  displayName: 'Katherine Johnson',
  emails: [{ primary: true, type: 'work', value: `${name}@example.com` }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Katherine Johnson', familyName: 'Johnson', givenName: 'Katherine' },
  roles: [],
  [ENTERPRISE]: { department: 'Research', employeeNumber: '701984' },
});

const find = (does: string, filter: string, body: object): ScimStep => ({
  does,
  send: ['GET', `/Users?filter=${filter}`],
  gets: { status: 200, body },
});

const provision = (name: string): ScimStep[] => [
  find('tests the connection', 'userName eq "7f2fdea5-1f8c-4ac5-ab36-ea2a5ba2e6a4"', EMPTY_LIST),
  find('matches by user name', `userName eq "${name}@example.com"`, EMPTY_LIST),
  find('matches by external id', `externalId eq "oid-${name}"`, EMPTY_LIST),
  find('matches by address', `emails[type eq "work"].value eq "${name}@example.com"`, EMPTY_LIST),
  {
    does: 'creates the user',
    send: ['POST', '/Users', provisioned(name)],
    gets: {
      status: 201,
      body: {
        schemas: [USER, ENTERPRISE],
        externalId: `oid-${name}`,
        active: true,
        [ENTERPRISE]: { department: 'Research', employeeNumber: '701984' },
      },
    },
    names: 'user',
  },
  find('matches by user name', `userName eq "${name}@example.com"`, {
    totalResults: 1,
    Resources: [{ id: '<user>' }],
  }),
  find('matches by external id', `externalId eq "oid-${name}"`, { totalResults: 1 }),
  find('matches by address', `emails[type eq "work"].value eq "${name}@example.com"`, { totalResults: 1 }),
  find('matches by two facts', `userName eq "${name}@example.com" and active eq true`, { totalResults: 1 }),
];

const patchUser = (does: string, operations: object[], body: object): ScimStep => ({
  does,
  send: ['PATCH', '/Users/<user>', { schemas: [PATCH_OP], Operations: operations }],
  gets: { status: 200, body: { id: '<user>', ...body } },
});

const switches: [string, (value: boolean) => object][] = [
  ['a text', (value) => ({ op: 'Replace', path: 'active', value: value ? 'True' : 'False' })],
  ['no path', (value) => ({ op: 'Replace', value: { active: value ? 'True' : 'False' } })],
  ['the path of the schema', (value) => ({ op: 'replace', path: `${USER}:active`, value })],
  ['Add', (value) => ({ op: 'Add', path: 'active', value })],
];

describe('Entra ID', () => {
  test.each(switches)('provisions, disables and restores a user by %s', async (what, operation) => {
    const name = what.replaceAll(' ', '-').toLowerCase();
    const ids: ScimIds = new Map();
    await play(client, provision(name), ids);
    const member = await memberWith(gateway, `${name}@example.com`);
    expect(member).toMatchObject({ role: 'org:member', first_name: 'Katherine', last_name: 'Johnson' });
    const keys = [
      await addKey(gateway, { creatorUserId: member!.id }),
      await addKey(gateway, { identitySubject: `oid-${name}` }),
      await addKey(gateway, { identitySubject: `${name.toUpperCase()}@example.com` }),
    ];
    const tokens = keys.map(({ token }) => token);
    await statusesBecome(gateway, tokens, 200);
    await play(client, [patchUser('disables the user', [operation(false)], { active: false })], ids);
    expect(await memberWith(gateway, `${name}@example.com`)).toBeUndefined();
    await statusesBecome(gateway, tokens, 401);
    await play(client, [patchUser('restores the user', [operation(true)], { active: true })], ids);
    expect(await memberWith(gateway, `${name}@example.com`)).toEqual(member);
    await statusesBecome(gateway, tokens, 401);
  });

  test('disables a user, and deletes them later', async () => {
    const ids: ScimIds = new Map();
    await play(client, provision('leaver'), ids);
    const disable = { op: 'Replace', path: 'active', value: 'False' };
    await play(
      client,
      [
        patchUser('disables the user', [disable], { active: false }),
        find('matches the disabled user', 'userName eq "leaver@example.com"', {
          totalResults: 1,
          Resources: [{ active: false }],
        }),
        { does: 'deletes the user', send: ['DELETE', '/Users/<user>'], gets: { status: 204 } },
        { does: 'reads the user', send: ['GET', '/Users/<user>'], gets: { status: 404, body: {} } },
        find('matches nobody', 'userName eq "leaver@example.com"', EMPTY_LIST),
      ],
      ids,
    );
  });

  test('updates a user by paths, dotted keys and URNs', async () => {
    const ids: ScimIds = new Map();
    await play(client, provision('updated'), ids);
    await play(
      client,
      [
        patchUser(
          'updates attributes by their paths',
          [
            { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 555 0100' },
            { op: 'Replace', path: 'emails[type eq "work"].value', value: 'katherine@example.com' },
            { op: 'Replace', path: 'name.familyName', value: 'Goble' },
            { op: 'Add', path: `${ENTERPRISE}:manager`, value: 'a1b2c3' },
            { op: 'Remove', path: `${ENTERPRISE}:employeeNumber` },
          ],
          {
            phoneNumbers: [{ type: 'mobile', value: '+1 555 0100' }],
            emails: [{ type: 'work', value: 'katherine@example.com', primary: true }],
            name: { familyName: 'Goble', givenName: 'Katherine' },
            [ENTERPRISE]: { department: 'Research', manager: { value: 'a1b2c3' } },
          },
        ),
        patchUser(
          'updates attributes by dotted keys and URNs, without a path',
          [
            {
              op: 'Replace',
              value: {
                'name.givenName': 'Kate',
                displayName: 'Kate Goble',
                [`${ENTERPRISE}:department`]: 'Space',
              },
            },
          ],
          {
            name: { familyName: 'Goble', givenName: 'Kate' },
            displayName: 'Kate Goble',
            [ENTERPRISE]: { department: 'Space' },
          },
        ),
      ],
      ids,
    );
    expect(await memberWith(gateway, 'katherine@example.com')).toMatchObject({
      first_name: 'Kate',
      last_name: 'Goble',
    });
    expect(await memberWith(gateway, 'updated@example.com')).toBeUndefined();
  });
});

const patchGroup = (does: string, ...operations: object[]): ScimStep => ({
  does,
  send: ['PATCH', '/Groups/<group>', { schemas: [PATCH_OP], Operations: operations }],
  gets: { status: 200, body: { id: '<group>' } },
});

const readGroup = (does: string, body: object): ScimStep => ({
  does,
  send: ['GET', '/Groups/<group>?excludedAttributes=members'],
  gets: { status: 200, body },
});

describe('Entra ID with groups', () => {
  test('adds and removes members by lists of values, which changes workspace roles', async () => {
    const ids: ScimIds = new Map();
    await play(client, provision('grouped'), ids);
    const member = await memberWith(gateway, 'grouped@example.com');
    await play(
      client,
      [
        {
          does: 'matches the group',
          send: ['GET', '/Groups?excludedAttributes=members&filter=displayName eq "Physics"'],
          gets: { status: 200, body: EMPTY_LIST },
        },
        {
          does: 'creates the group',
          send: [
            'POST',
            '/Groups',
            {
              schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
              externalId: 'gid-physics',
              displayName: 'Physics',
              meta: { resourceType: 'Group' },
            },
          ],
          gets: { status: 201, body: { externalId: 'gid-physics', displayName: 'Physics' } },
          names: 'group',
        },
        readGroup('reads the group without its members', { id: '<group>', displayName: 'Physics' }),
      ],
      ids,
    );
    const { id: workspaceId } = await makeWorkspace(manager, 'physics');
    await mapGroup(gateway, ids.get('group')!, workspaceId, 'member');
    const value = [{ $ref: null, value: '<user>' }];
    await play(client, [patchGroup('adds a member', { op: 'Add', path: 'members', value })], ids);
    expect(await rolesIn('physics')).toEqual([[member!.id, 'member']]);
    await play(
      client,
      [
        patchGroup('renames the group', { op: 'Replace', path: 'displayName', value: 'Astrophysics' }),
        {
          does: 'asks whether somebody is a member',
          send: ['GET', '/Groups?attributes=id&filter=id eq "<group>" and members eq "<user>"'],
          gets: { status: 200, body: { totalResults: 1, Resources: [{ id: '<group>' }] } },
        },
      ],
      ids,
    );
    expect(await rolesIn('physics')).toEqual([[member!.id, 'member']]);
    await play(client, [patchGroup('removes a member', { op: 'Remove', path: 'members', value })], ids);
    expect(await rolesIn('physics')).toEqual([]);
    await play(
      client,
      [{ does: 'deletes the group', send: ['DELETE', '/Groups/<group>'], gets: { status: 204 } }],
      ids,
    );
  });
});

async function rolesIn(slug: string): Promise<[string, string][]> {
  const response = await manager.call('GET', `/workspaces/${slug}/members`);
  const { data } = (await response.json()) as { data: { user_id: string; role: string }[] };
  return data.map(({ user_id: id, role }) => [id, role]);
}
