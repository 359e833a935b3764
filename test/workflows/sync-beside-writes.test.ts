import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, type Place } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { deleteMapping, listGroups, makeMapping, membersOf } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { putSource, synced, syncEnded } from '../support/syncs.ts';
import { makeWorkspace } from '../support/workspaces.ts';

const PEOPLE = 30;
const faults = createFaultyActivities();

let gateway: Gateway;
let source: ScimSource;
let place: Place;
let manager: Caller;
let workspaceId: string;
let mappingId: string;

beforeAll(async () => {
  source = await startScimSource();
  gateway = await startGateway({ worker: ALL_QUEUES, interceptors: faults.interceptors });
});

afterAll(async () => {
  await gateway.close();
  await source.close();
});

/** Each test has an organization with a group of five people that is mapped to a workspace. */
beforeEach(async () => {
  source.fault = undefined;
  source.people = somePeople(PEOPLE);
  const members = source.people.slice(0, 5).map(({ id }) => id);
  source.groups = [{ id: 'g-1', displayName: 'Engineers', members }];
  place = await addOrganization(gateway);
  manager = createCaller(gateway.origin, (await addKey(gateway, { ...place, kind: 'management' })).token);
  await putSource(manager, source);
  // A scheduled sync may have read the groups already when a test holds the answer about them.
  await gateway.database.query(
    `update scim_sources set next_sync_at = now() + interval '1 day' where organization_id = $1`,
    [place.organizationId],
  );
  expect(await synced(manager)).toMatchObject({ status: 'succeeded' });
  ({ id: workspaceId } = await makeWorkspace(manager, 'team'));
  const [group] = (await listGroups(manager)).data;
  ({ id: mappingId } = await makeMapping(manager, group!.id, workspaceId));
  expect(await membersOf(manager, workspaceId)).toHaveLength(5);
});

/** Its schedule must not begin a sync beside those of the next test. */
afterEach(async () => {
  expect((await manager.call('DELETE', '/scim/source')).status).toBe(200);
});

/**
 * Does the work while a sync waits for the groups of its source, which has one more person in the group and two less.
 */
async function duringSync(work: () => Promise<Response>): ReturnType<typeof syncEnded> {
  source.people.splice(10, 2);
  source.people.push({ id: 'new', userName: 'new@example.com' });
  source.groups[0]!.members.push('new');
  const held: ServerResponse[] = [];
  source.fault = (call, response) => {
    if (call.path !== '/Groups') return false;
    held.push(response);
    return true;
  };
  expect((await manager.call('POST', '/scim/sync-jobs')).status).toBe(202);
  await eventually('the question for groups', async () => held[0]);
  expect((await work()).status).toBe(200);
  source.fault = undefined;
  for (const response of held) response.writeHead(503, { 'retry-after': '0' }).end();
  return syncEnded(manager);
}

async function countMembers(): Promise<number> {
  const response = await manager.call('GET', '/organization/members?limit=100');
  return ((await response.json()) as { total_count: number }).total_count;
}

async function rowsOfWorkspace(table: string): Promise<number> {
  const { rows } = await gateway.database.query<{ n: number }>(
    `select count(*)::int n from ${table} where workspace_id = $1`,
    [workspaceId],
  );
  return rows[0]!.n;
}

describe('a change during a running sync', () => {
  test('a deleted mapping gives nobody a workspace', async () => {
    const before = await countMembers();
    const job = await duringSync(() => deleteMapping(manager, mappingId, false));
    expect(job).toMatchObject({ status: 'succeeded', counts: { members_added: 1, members_removed: 2 } });
    expect(await countMembers()).toBe(before - 1);
    expect(await membersOf(manager, workspaceId)).toEqual([]);
    expect(await rowsOfWorkspace('directory_memberships')).toBe(0);
  });

  test('a mapping deleted with keep_members keeps its members and gets no new ones', async () => {
    const before = await membersOf(manager, workspaceId);
    const job = await duringSync(() => deleteMapping(manager, mappingId, true));
    expect(job).toMatchObject({ status: 'succeeded', counts: { members_added: 1 } });
    expect(await membersOf(manager, workspaceId)).toEqual(before);
  });

  test('a deleted workspace loses its mappings and members', async () => {
    const before = await countMembers();
    const job = await duringSync(() => manager.call('DELETE', `/workspaces/${workspaceId}`));
    expect(job).toMatchObject({ status: 'succeeded', counts: { members_added: 1, members_removed: 2 } });
    expect(await countMembers()).toBe(before - 1);
    expect(await rowsOfWorkspace('directory_mappings')).toBe(0);
    expect(await rowsOfWorkspace('directory_memberships')).toBe(0);
  });

  test.each<[string, () => object]>([
    ['what is pushed', () => ({ type: 'pushed' })],
    [
      'another server',
      () => ({
        type: 'scim',
        base_url: `${source.baseUrl}/other`,
        token: source.token,
        interval_minutes: 1_440,
      }),
    ],
  ])('a source that is replaced by %s fails the sync and changes no member', async (_what, body) => {
    const before = await countMembers();
    const job = await duringSync(() => manager.call('PUT', '/scim/source', { body: body() }));
    expect(job).toMatchObject({ status: 'failed', error_reason: 'source_unavailable' });
    expect(await countMembers()).toBe(before);
    expect(await membersOf(manager, workspaceId)).toHaveLength(5);
    const { rows } = await gateway.database.query('select from directory_stage_people');
    expect(rows).toEqual([]);
  });
});

test('a sync requested before the last run closed begins after it', async () => {
  // The job has ended; its run does not know it yet.
  faults.fail('finishSync', 'after', 'after', 'after');
  const first = await synced(manager);
  const second = await synced(manager);
  expect(second).toMatchObject({ status: 'succeeded', trigger: 'request' });
  expect(second.id).not.toBe(first.id);
  expect(faults.ran('finishSync')).toBeGreaterThan(3);
});
