import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addKey } from '../../support/accounts.ts';
import { type Caller, createCaller } from '../../support/caller.ts';
import { eventually } from '../../support/eventually.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../../support/gateway.ts';
import { statusOf } from '../../support/keys.ts';
import { makeWorkspace, type WireWorkspace } from '../../support/workspaces.ts';
import { type Scim2Server, startScim2Server } from './scim2-server.ts';

/** More than a page of what is read from a source at once. */
const PEOPLE = 250;

interface WireJob {
  id: string;
  status: string;
  dry_run: boolean;
  synced_groups: number | null;
  deleted_groups: number | null;
  error_message: string | null;
  error_reason: string | null;
}

interface WireChange {
  kind: string;
  name: string;
  from: string | null;
  to: string | null;
}

let gateway: Gateway;
let manager: Caller;
let source: Scim2Server;
let workspace: WireWorkspace;

beforeAll(async () => {
  [gateway, source] = await Promise.all([startGateway({ worker: ALL_QUEUES }), startScim2Server()]);
  manager = createCaller(gateway.origin, gateway.managementKey);
  workspace = await makeWorkspace(manager, 'research');
});

afterAll(async () => {
  await source.close();
  await gateway.close();
});

async function read<Answer>(target: string): Promise<Answer> {
  const response = await manager.call('GET', target);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`GET ${target}: ${response.status} ${text}`);
  return JSON.parse(text) as Answer;
}

/** Begins a job and returns it once it has ended. */
async function sync(query = ''): Promise<WireJob> {
  const response = await manager.call('POST', `/scim/sync-jobs${query}`);
  expect(response.status).toBe(202);
  const { id } = ((await response.json()) as { data: WireJob }).data;
  return eventually('the end of the job', async () => {
    const { data } = await read<{ data: WireJob }>(`/scim/sync-jobs/${id}`);
    return data.status === 'succeeded' || data.status === 'failed' ? data : undefined;
  });
}

async function changesOf(job: WireJob): Promise<string[]> {
  const { data } = await read<{ data: WireChange[] }>(`/scim/sync-jobs/${job.id}/changes`);
  return data.map(({ kind, name, from, to }) => `${kind} ${name}: ${from} → ${to}`);
}

async function emailsOfMembers(): Promise<string[]> {
  const pages = await Promise.all(
    [0, 100, 200].map((offset) =>
      read<{ data: { email: string }[] }>(`/organization/members?limit=100&offset=${offset}`),
    ),
  );
  return pages.flatMap(({ data }) => data.map(({ email }) => email));
}

async function countOfWorkspaceMembers(): Promise<number> {
  const { total_count } = await read<{ total_count: number }>(`/workspaces/${workspace.id}/members`);
  return total_count;
}

test('people deleted in scim2-server lose their membership and their key with the next sync', async () => {
  const people: string[] = [];
  for (let n = 0; n < PEOPLE; n += 1) {
    const emails = [{ value: `Person${n}@Example.com`, primary: true }];
    people.push(await source.addPerson(`person${n}`, { emails, externalId: `employee-${n}` }));
  }
  const group = await source.addGroup('Research', people);
  const { baseUrl: base_url, token } = source;
  const put = await manager.call('PUT', '/scim/source', { body: { type: 'scim', base_url, token } });
  expect({ status: put.status, text: await put.text() }).toMatchObject({ status: 200 });

  expect(await sync()).toMatchObject({ status: 'succeeded', synced_groups: 1, deleted_groups: 0 });
  expect(await emailsOfMembers()).toHaveLength(PEOPLE + 1);
  const { data: groups } = await read<{ data: { id: string; display_name: string }[] }>('/scim/groups');
  expect(groups.map(({ display_name }) => display_name)).toEqual(['Research']);

  const mapping = { scim_group_id: groups[0]!.id, workspace_id: workspace.id, role: 'member' };
  const created = await manager.call('POST', '/scim/group-mappings', { body: mapping });
  expect(created.status).toBe(201);
  expect(await countOfWorkspaceMembers()).toBe(PEOPLE);
  const key = await addKey(gateway, { identitySubject: 'employee-7', name: "Person 7's key" });
  expect(await statusOf(gateway, key.token)).toBe(200);

  await source.removePerson(people[7]!, group);
  const dryRun = await sync('?dry_run=true');
  expect(dryRun).toMatchObject({ status: 'succeeded', dry_run: true, synced_groups: 1 });
  const foreseen = [
    "key Person 7's key: active → disabled",
    'organization_member person7: org:member → null',
    'workspace_member person7: member → null',
  ];
  expect((await changesOf(dryRun)).toSorted()).toEqual(foreseen);
  expect(await emailsOfMembers()).toContain('Person7@Example.com');
  expect(await statusOf(gateway, key.token)).toBe(200);

  const job = await sync();
  expect(job).toMatchObject({ status: 'succeeded', dry_run: false, error_message: null });
  expect((await changesOf(job)).toSorted()).toEqual(foreseen);
  expect(await emailsOfMembers()).not.toContain('Person7@Example.com');
  expect(await countOfWorkspaceMembers()).toBe(PEOPLE - 1);
  expect(await statusOf(gateway, key.token)).toBe(401);
});
