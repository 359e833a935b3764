import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/open-database.ts';
import { newGenerationId } from '../../domain/ids.ts';
import { removeWorkspace } from '../../services/remove-workspace.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { keyOf, makeKey, patchKey, postKey, statusOf } from '../support/keys.ts';
import {
  getWorkspace,
  listWorkspaces,
  makeWorkspace,
  postWorkspace,
  updateWorkspace,
} from '../support/workspaces.ts';
import { openTransaction } from '../support/handles.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['video'] });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

const remove = (reference: string, by = manager): Promise<Response> =>
  by.call('DELETE', `/workspaces/${reference}`);

async function refusal(reference: string): Promise<[number, string, string]> {
  const { code, metadata } = await errorOf(await remove(reference));
  return [code, metadata.reason, metadata.issues![0]!.message];
}

describe('a deleted workspace', () => {
  test('answers 404 on every route, and its slug is free', async () => {
    const { id } = await makeWorkspace(manager, 'gone');
    const before = (await listWorkspaces(manager)).total_count;
    const deleted = await remove('gone');
    expect([deleted.status, await deleted.json()]).toEqual([200, { deleted: true }]);
    expect((await listWorkspaces(manager)).total_count).toBe(before - 1);

    const requests: [method: string, below: string, body?: object][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Back' }],
      ['DELETE', ''],
      ['GET', '/members'],
      ['POST', '/members/add', { user_ids: ['user_x'] }],
      ['POST', '/members/remove', { user_ids: ['user_x'] }],
      ['GET', '/budgets'],
      ['GET', '/budgets/daily'],
      ['PUT', '/budgets/daily', { limit_usd: 1 }],
      ['DELETE', '/budgets/daily'],
      ['POST', '/webhook-secret/rotate'],
    ];
    const foreign = await addOrganization(gateway);
    const unknown = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';
    for (const [method, below, body] of requests) {
      const ask = async (reference: string) =>
        visibleParts(await manager.call(method, `/workspaces/${reference}${below}`, { body }));
      const missing = await ask(unknown);
      expect(missing.status).toBe(404);
      for (const reference of [id, 'gone', foreign.workspaceId]) {
        expect(await ask(reference)).toEqual(missing);
      }
    }
    expect((await postKey(manager, { workspace_id: id })).status).toBe(400);
    const { record } = await makeKey(manager);
    expect((await patchKey(manager, record.hash, { workspace_id: id })).status).toBe(404);

    const again = await makeWorkspace(manager, 'gone');
    expect(again.id).not.toBe(id);
    expect(await auditRows(gateway, `workspaces/${id}`)).toMatchObject([
      { action: 'createWorkspace' },
      { action: 'deleteWorkspace' },
    ]);
  });

  test('deletes its keys and keeps their usage in analytics', async () => {
    const { id } = await makeWorkspace(manager, 'used');
    const { record, token } = await makeKey(manager, { workspace_id: id });
    await completed(await askChat(gateway, {}, createCaller(gateway.origin, token)));
    await keyOf(await patchKey(manager, record.hash, { disabled: true }));
    expect((await remove(id)).status).toBe(200);

    expect(await statusOf(gateway, token)).toBe(401);
    expect((await patchKey(manager, record.hash, { disabled: false })).status).toBe(404);
    const rows = await auditRows(gateway, `keys/${record.hash}`);
    expect(rows.at(-1)).toMatchObject({ action: 'deleteKey' });
    const query = { metrics: ['request_count'], dimensions: ['workspace'] };
    const found = await manager.call('POST', '/analytics/query', { body: query });
    const { data } = (await found.json()) as { data: { data: Record<string, unknown>[] } };
    expect(data.data).toContainEqual(
      expect.objectContaining({ workspace: id, workspace_label: 'used', request_count: 1 }),
    );
  });
});

describe('a classifier of a deleted workspace', () => {
  const write = (workspaceId: string, id: string): Promise<Response>[] => {
    const tags = [{ generation_id: newGenerationId(Date.now()), dimension: 'topic', value: 'x' }];
    return [
      manager.call('PATCH', `/classifiers/${id}`, { body: { name: 'Late' } }),
      manager.call('POST', `/classifiers/${id}/tags`, { body: { tags } }),
      manager.call('POST', '/classifiers', { body: { name: 'Late', workspace_id: workspaceId } }),
    ];
  };
  const statuses = async (answers: Promise<Response>[]): Promise<number[]> =>
    (await Promise.all(answers)).map(({ status }) => status);

  async function makeClassifier(workspaceId: string): Promise<string> {
    const body = { name: 'Topics', workspace_id: workspaceId };
    const answer = await manager.call('POST', '/classifiers', { body });
    return ((await answer.json()) as { data: { id: string } }).data.id;
  }

  test('allows reading, and answers 404 to creation and writes', async () => {
    const { id: workspaceId } = await makeWorkspace(manager, 'classified');
    const id = await makeClassifier(workspaceId);
    expect((await remove(workspaceId)).status).toBe(200);
    expect((await manager.call('GET', `/classifiers/${id}`)).status).toBe(200);
    expect(await statuses(write(workspaceId, id))).toEqual([404, 404, 404]);
  });

  test('makes concurrent writes wait for the deletion and answer 404', async () => {
    const { id: workspaceId } = await makeWorkspace(manager, 'classified-late');
    const id = await makeClassifier(workspaceId);
    const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
    const deletion = await openTransaction(database.knex);
    try {
      await removeWorkspace(deletion.handle, { organizationId: gateway.organizationId }, workspaceId);
      const writing = write(workspaceId, id);
      const look = async (): Promise<true | undefined> => {
        const { rowCount } = await gateway.database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rowCount === writing.length ? true : undefined;
      };
      await eventually('all three waiting', look, 15_000).finally(() => deletion.commit());
      expect(await statuses(writing)).toEqual([404, 404, 404]);
    } finally {
      await database.close();
    }
  });
});

test('a reused slug names the new workspace only', async () => {
  await makeWorkspace(manager, 'reused');
  expect((await remove('reused')).status).toBe(200);
  const second = await makeWorkspace(manager, 'reused');
  const { rows } = await gateway.database.query(
    `select id from workspaces where organization_id = $1 and slug = 'reused'`,
    [gateway.organizationId],
  );
  expect(rows).toEqual([{ id: second.id }]);
});

test('a workspace can be deleted when an older one has the slug reserved for it', async () => {
  const going = await makeWorkspace(manager, 'going');
  const staying = await makeWorkspace(manager, 'staying');
  const slug = `deleted-${going.id}`;
  await gateway.database.query('update workspaces set slug = $1 where id = $2', [slug, staying.id]);
  expect((await remove('going')).status).toBe(200);
  expect((await getWorkspace(manager, slug)).id).toBe(staying.id);
  expect(await updateWorkspace(manager, slug, { name: 'Still here' })).toMatchObject({ slug });
  expect((await remove(slug)).status).toBe(200);
});

describe('DELETE /workspaces/{id}', () => {
  test('answers 400 for the default workspace', async () => {
    expect(await refusal('default')).toEqual([
      400,
      'default_workspace',
      'is the default workspace of the organization',
    ]);
  });

  test('answers 400 while the workspace has active keys of any kind', async () => {
    const { id } = await makeWorkspace(manager, 'busy');
    const { record } = await makeKey(manager, { workspace_id: id });
    await addKey(gateway, { workspaceId: id, kind: 'management' });
    await addKey(gateway, { workspaceId: id, expiresAt: new Date(Date.now() - 1_000) });
    expect(await refusal('busy')).toEqual([
      400,
      'active_keys',
      'has active keys (2): delete, disable or move them first',
    ]);
    expect((await keyOf(await manager.call('GET', `/keys/${record.hash}`))).workspace_id).toBe(id);
    expect(await auditRows(gateway, `workspaces/${id}`)).toMatchObject([{ action: 'createWorkspace' }]);
  });

  test('answers 400 while the workspace has open jobs, and later succeeds', async () => {
    const { id } = await makeWorkspace(manager, 'working');
    const { record, token } = await makeKey(manager, { workspace_id: id });
    const worker = createCaller(gateway.origin, token);
    const job = await submit(worker, { provider: { options: { local: { faults: [{ kind: 'stall' }] } } } });
    await keyOf(await patchKey(manager, record.hash, { disabled: true }));
    expect(await refusal('working')).toEqual([
      400,
      'open_jobs',
      'has jobs under way (1): wait for them or cancel them first',
    ]);
    await keyOf(await patchKey(manager, record.hash, { disabled: false }));
    await worker.call('POST', `/videos/${job.id}/cancel`);
    await ended(worker, job.id);
    await keyOf(await patchKey(manager, record.hash, { disabled: true }));
    expect((await remove(id)).status).toBe(200);
    // What is left of the job is read as before.
    expect((await manager.call('GET', `/videos/${job.id}`)).status).toBe(200);
  });

  test('succeeds only if a key created at the same time is refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await makeWorkspace(manager, `race-${round}`);
      const [made, deleted] = await Promise.all([postKey(manager, { workspace_id: id }), remove(id)]);
      expect([
        [201, 400],
        [400, 200],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });

  test('answers 404 to another organization and 403 to a regular key', async () => {
    await postWorkspace(manager, { name: 'Kept', slug: 'kept' });
    const theirs = await addKey(gateway, { ...(await addOrganization(gateway)), kind: 'management' });
    expect((await remove('kept', createCaller(gateway.origin, theirs.token))).status).toBe(404);
    expect((await remove('kept', gateway)).status).toBe(403);
  });
});
