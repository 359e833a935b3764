import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, getJob, submit, type WireJob } from '../support/jobs.ts';

interface Page {
  data: WireJob[];
  total_count: number;
}

const FAILING = { provider: { options: { local: { faults: [{ kind: 'fail' }] } } } };

let gateway: Gateway;
let caller: Caller;
let neighbour: Caller;
let manager: Caller;
/** Oldest first. */
const ids: string[] = [];
let neighboursId: string;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['video'] });
  caller = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
  neighbour = createCaller(gateway.origin, (await addKey(gateway, await addWorkspace(gateway))).token);
  for (const body of [{}, FAILING, {}, {}, FAILING]) ids.push((await submit(caller, body)).id);
  neighboursId = (await submit(neighbour)).id;
  await Promise.all(ids.map((id) => ended(caller, id)));
  await ended(neighbour, neighboursId);
});

afterAll(async () => {
  await gateway.close();
});

async function list(query = '', by = caller): Promise<Page> {
  const response = await by.call('GET', `/videos${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

function idsOf({ data }: Page): string[] {
  return data.map(({ id }) => id);
}

describe('the list of video jobs', () => {
  test('shows the jobs of the workspace, newest first, as GET of each shows them', async () => {
    const page = await list();
    expect(page.total_count).toBe(5);
    expect(idsOf(page)).toEqual(ids.toReversed());
    for (const listed of page.data) {
      // Both sign URLs each time, perhaps in different seconds.
      const { urls: signed, urls_expire_at: _expiry, ...job } = await getJob(caller, listed.id);
      const { urls: listedSigned, urls_expire_at: _listedExpiry, ...rest } = listed;
      expect(rest).toEqual(job);
      expect(listedSigned?.length).toBe(signed?.length);
    }
  });

  test('pages without gap or overlap', async () => {
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => list(`?limit=2&offset=${offset}`)));
    expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 1, 0]);
    expect(pages.map(({ total_count }) => total_count)).toEqual([5, 5, 5, 5]);
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
  });

  test('filters by status, and counts only those jobs', async () => {
    expect(await list('?status=failed&limit=1')).toMatchObject({ data: [{ id: ids[4] }], total_count: 2 });
    expect(idsOf(await list('?status=completed'))).toEqual([ids[3], ids[2], ids[0]]);
    expect(await list('?status=in_progress')).toEqual({ data: [], total_count: 0 });
  });

  test('filters by model, under any of its names', async () => {
    expect(idsOf(await list('?model=local/clip-canned'))).toEqual(ids.toReversed());
    await gateway.database.query(
      `update models set facts = facts || '{"aliases": ["test/alias"]}' where id = 'local/clip-canned'`,
    );
    const byAlias = await eventually('the alias in the catalog', async () => {
      const page = await list('?model=test/alias');
      return page.total_count === 0 ? undefined : page;
    });
    expect(idsOf(byAlias)).toEqual(ids.toReversed());
    expect(idsOf(await list('?model=local/clip-canned&status=failed'))).toEqual([ids[4], ids[1]]);
    for (const other of ['local/clip-1', 'no/such-model', '%25']) {
      expect(await list(`?model=${other}`)).toEqual({ data: [], total_count: 0 });
    }
  });

  test('filters by creation time, including created_after and excluding created_before', async () => {
    const times = await Promise.all(ids.map(async (id) => (await getJob(caller, id)).created_at!));
    const [, second, , fourth] = times;
    expect(idsOf(await list(`?created_after=${second}`))).toEqual(ids.slice(1).toReversed());
    expect(idsOf(await list(`?created_before=${second}`))).toEqual([ids[0]]);
    expect(await list(`?created_after=${second}&created_before=${fourth}&limit=1`)).toMatchObject({
      data: [{ id: ids[2] }],
      total_count: 2,
    });
    expect(await list(`?created_after=${fourth}&created_before=${second}`)).toEqual({
      data: [],
      total_count: 0,
    });
    expect(
      (await list('?created_after=0000-01-01T00:00:00Z&created_before=9999-12-31T23:59:59Z')).total_count,
    ).toBe(5);
  });

  test('shows other workspaces their own jobs, and management keys all jobs', async () => {
    expect(await list('', neighbour)).toMatchObject({ data: [{ id: neighboursId }], total_count: 1 });
    const all = await list('', manager);
    expect(idsOf(all)).toEqual([neighboursId, ...ids.toReversed()]);
    expect(all.total_count).toBe(6);
  });

  test.each([
    ['limit=0', 'query.limit'],
    ['limit=101', 'query.limit'],
    ['limit=ten', 'query.limit'],
    ['limit=1&limit=2', 'query.limit'],
    ['offset=-1', 'query.offset'],
    ['offset=99999999999', 'query.offset'],
    ['status=done', 'query.status'],
    ['status=failed,completed', 'query.status'],
    ['model=', 'query.model'],
    ['model=a%00b', 'query.model'],
    ['model=a&model=b', 'query.model'],
    [`model=${'a'.repeat(257)}`, 'query.model'],
    ['created_after=yesterday', 'query.created_after'],
    ['created_after=2026-02-30T00:00:00Z', 'query.created_after'],
    ['created_after=1767225600', 'query.created_after'],
    ['created_before=2026-01-01', 'query.created_before'],
    ['created_before=2026-01-01T00:00:00%2B01:00', 'query.created_before'],
  ])('answers 400 for ?%s', async (query, path) => {
    expect(await errorOf(await caller.call('GET', `/videos?${query}`))).toMatchObject({
      code: 400,
      metadata: { issues: [{ path }] },
    });
  });
});
