import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import {
  addGroup,
  deleteMapping,
  listGroups,
  listMappings,
  makeMapping,
  mappingOf,
  patchMapping,
  postMapping,
} from '../support/directory.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makeWorkspace } from '../support/workspaces.ts';

const UNKNOWN = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';

let gateway: Gateway;
let manager: Caller;
let workspaceId: string;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  workspaceId = (await makeWorkspace(manager, 'team')).id;
});

afterAll(() => gateway.close());

describe('GET /scim/groups', () => {
  test('lists groups oldest first, page by page, without deleted and foreign ones', async () => {
    const { organizationId } = await addOrganization(gateway);
    const own = [];
    for (const name of ['First', 'Second', 'Third']) own.push(await addGroup(gateway, [], { name }));
    await addGroup(gateway, [], { name: 'Foreign', organizationId });
    const deleted = await addGroup(gateway, [], { name: 'Deleted' });
    await gateway.database.query('update directory_groups set deleted_at = now() where id = $1', [deleted]);

    const all = await listGroups(manager);
    expect(all.total_count).toBe(3);
    expect(all.data.map(({ id }) => id)).toEqual(own);
    expect(all.data[0]).toEqual({
      id: own[0],
      display_name: 'First',
      external_id: null,
      organization_id: gateway.organizationId,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await listGroups(manager, '?limit=1&offset=1')).toEqual({ data: [all.data[1]], total_count: 3 });
  });
});

describe('a mapping', () => {
  test('supports create, read, list, update and delete, with an audit entry per write', async () => {
    const groupId = await addGroup(gateway);
    const before = (await listMappings(manager)).total_count;
    const made = await makeMapping(manager, groupId, workspaceId);
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: gateway.organizationId,
      scim_group_id: groupId,
      workspace_id: workspaceId,
      role: 'member',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const read = () => manager.call('GET', `/scim/group-mappings/${made.id}`);
    expect(await mappingOf(await read())).toEqual(made);
    const other = await makeMapping(manager, await addGroup(gateway), workspaceId);
    expect(await listMappings(manager, `?offset=${before}`)).toEqual({
      data: [made, other],
      total_count: before + 2,
    });
    expect((await listMappings(manager, `?offset=${before}&limit=1`)).data).toEqual([made]);

    const changed = await mappingOf(await patchMapping(manager, made.id, 'admin'));
    expect(changed).toEqual({ ...made, role: 'admin', updated_at: expect.any(String) });
    expect(changed.updated_at > made.updated_at).toBe(true);
    expect(await mappingOf(await patchMapping(manager, made.id, 'admin'))).toEqual(changed);

    const deleted = await deleteMapping(manager, made.id, false);
    expect([deleted.status, await deleted.json()]).toEqual([200, { deleted: true }]);
    expect((await read()).status).toBe(404);
    const actions = (await auditRows(gateway, `scim/group-mappings/${made.id}`)).map(({ action }) => action);
    expect(actions).toEqual([
      'createScimGroupMapping',
      'updateScimGroupMapping',
      'updateScimGroupMapping',
      'deleteScimGroupMapping',
    ]);
  });

  test('stays the same record when created again, and answers 409 for another role', async () => {
    const groupId = await addGroup(gateway);
    const made = await makeMapping(manager, groupId, workspaceId);
    expect(await makeMapping(manager, groupId, workspaceId)).toEqual(made);
    const body = { scim_group_id: groupId, workspace_id: workspaceId, role: 'admin' };
    expect(await errorOf(await postMapping(manager, body))).toMatchObject({
      code: 409,
      metadata: { reason: 'mapping_exists', retryable: false, issues: [{ path: 'body.role' }] },
    });
    expect((await mappingOf(await patchMapping(manager, made.id, 'admin'))).role).toBe('admin');
  });

  test('exists once for one Idempotency-Key, even after its deletion', async () => {
    const groupId = await addGroup(gateway);
    const body = { scim_group_id: groupId, workspace_id: workspaceId, role: 'member' };
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all([1, 2, 3].map(() => postMapping(manager, body, headers)));
    const ids = new Set<string>();
    for (const answer of answers) ids.add((await mappingOf(answer, 201)).id);
    const [id] = ids;
    expect(ids.size).toBe(1);
    expect(await auditRows(gateway, `scim/group-mappings/${id}`)).toHaveLength(1);

    await deleteMapping(manager, id!, false);
    const again = await postMapping(manager, body, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await mappingOf(again, 201)).id).toBe(id);
    expect((await manager.call('GET', `/scim/group-mappings/${id}`)).status).toBe(404);
    expect((await postMapping(manager, { ...body, role: 'admin' }, headers)).status).toBe(422);
  });

  test('answers 404 for an unknown, foreign or deleted group and workspace', async () => {
    const foreign = await addOrganization(gateway);
    const foreignGroup = await addGroup(gateway, [], { organizationId: foreign.organizationId });
    const deletedGroup = await addGroup(gateway);
    await gateway.database.query('update directory_groups set deleted_at = now() where id = $1', [
      deletedGroup,
    ]);
    const deletedWorkspace = (await makeWorkspace(manager, 'short-lived')).id;
    await manager.call('DELETE', '/workspaces/short-lived');
    const refusal = async (group: string, workspace: string) =>
      visibleParts(
        await postMapping(manager, { scim_group_id: group, workspace_id: workspace, role: 'member' }),
      );
    const unknown = await refusal(UNKNOWN, UNKNOWN);
    expect(JSON.parse(unknown.body)).toMatchObject({
      error: {
        code: 404,
        metadata: { issues: [{ path: 'body.scim_group_id' }, { path: 'body.workspace_id' }] },
      },
    });
    expect(await refusal(foreignGroup, foreign.workspaceId)).toEqual(unknown);
    expect(await refusal(deletedGroup, deletedWorkspace)).toEqual(unknown);
  });

  test('needs keep_members for its deletion, and accepts only two roles', async () => {
    const { id } = await makeMapping(manager, await addGroup(gateway), workspaceId);
    for (const query of ['', '?keep_members=', '?keep_members=yes']) {
      const refused = await errorOf(await manager.call('DELETE', `/scim/group-mappings/${id}${query}`));
      expect(refused).toMatchObject({ code: 400, metadata: { issues: [{ path: 'query.keep_members' }] } });
    }
    expect((await patchMapping(manager, id, 'owner')).status).toBe(400);
    expect((await manager.call('PATCH', `/scim/group-mappings/${id}`, { body: {} })).status).toBe(400);
    expect((await manager.call('GET', `/scim/group-mappings/${id}`)).status).toBe(200);
  });

  test('answers another organization like an unknown one', async () => {
    const { id } = await makeMapping(manager, await addGroup(gateway), workspaceId);
    const place = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...place, kind: 'management' });
    const stranger = createCaller(gateway.origin, token);
    const requests = [
      (of: string) => stranger.call('GET', `/scim/group-mappings/${of}`),
      (of: string) => patchMapping(stranger, of, 'admin'),
      (of: string) => deleteMapping(stranger, of, true),
    ];
    for (const ask of requests) {
      const unknown = await visibleParts(await ask(UNKNOWN));
      expect(unknown.status).toBe(404);
      expect(await visibleParts(await ask(id))).toEqual(unknown);
      expect(await visibleParts(await ask('no-uuid'))).toEqual(unknown);
    }
    expect((await listMappings(stranger)).total_count).toBe(0);
    expect((await listGroups(stranger)).total_count).toBe(0);
    expect((await manager.call('GET', `/scim/group-mappings/${id.toUpperCase()}`)).status).toBe(200);
  });

  test('answers 403 to a regular key', async () => {
    const { id } = await makeMapping(manager, await addGroup(gateway), workspaceId);
    for (const [method, path, body] of [
      ['GET', '/scim/groups'],
      ['GET', '/scim/group-mappings'],
      ['POST', '/scim/group-mappings', { scim_group_id: UNKNOWN, workspace_id: workspaceId, role: 'member' }],
      ['GET', `/scim/group-mappings/${id}`],
      ['PATCH', `/scim/group-mappings/${id}`, { role: 'admin' }],
      ['DELETE', `/scim/group-mappings/${id}?keep_members=false`],
    ] as [string, string, object?][]) {
      expect((await gateway.call(method, path, { body })).status).toBe(403);
    }
  });
});
