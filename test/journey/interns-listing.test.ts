import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  callerOfIntern,
  listInterns,
  makeIntern,
  startInternGateway,
  type WireIntern,
} from '../support/interns.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startInternGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

/** A caller in a new workspace, which sees what a test makes and nothing else. */
async function newCaller(kind: 'regular' | 'management' = 'regular'): Promise<Caller> {
  return createCaller(
    gateway.origin,
    (await addKey(gateway, { ...(await addWorkspace(gateway)), kind })).token,
  );
}

async function makeInterns(caller: Caller, count: number): Promise<WireIntern[]> {
  const interns: WireIntern[] = [];
  for (let n = 0; n < count; n += 1) interns.push(await makeIntern(caller));
  return interns;
}

const idsOf = (interns: WireIntern[]): string[] => interns.map(({ id }) => id);

/** Reads page after page; `between` runs after each. */
async function readAll(
  caller: Caller,
  query: string,
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? '' : `&starting_after=${cursor}`;
    const page = await listInterns(caller, `?${query}${after}`);
    expect(page.has_more).toBe('next_cursor' in page);
    ids.push(...idsOf(page.data));
    expect(new Set(ids).size).toBe(ids.length);
    cursor = page.next_cursor;
    await between();
  } while (cursor !== undefined);
  return ids;
}

describe('the list of interns', () => {
  test('shows the newest first, with the records of single reads', async () => {
    const caller = await newCaller();
    expect(await listInterns(caller)).toEqual({ data: [], has_more: false });
    const made = await makeInterns(caller, 3);
    expect(await listInterns(caller)).toEqual({ data: made.toReversed(), has_more: false });
  });

  test('shows 50 interns a page, or as many as the limit says', async () => {
    const caller = await newCaller();
    const made = await makeInterns(caller, 51);
    const page = await listInterns(caller);
    expect(page).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    expect(idsOf(page.data)).toEqual(idsOf(made.slice(1)).toReversed());
    expect((await listInterns(caller, '?limit=500')).data).toHaveLength(51);
    expect(await readAll(caller, 'limit=17')).toEqual(idsOf(made).toReversed());
  });

  test('repeats and skips none while interns are created and deleted between pages', async () => {
    const caller = await newCaller();
    const made = await makeInterns(caller, 6);
    const victims = made.toReversed().filter((_, index) => index % 2 === 0);
    const seen = await readAll(caller, 'limit=1', async () => {
      await makeIntern(caller);
      // The one that the cursor was made of goes, too.
      const victim = victims.shift();
      if (victim !== undefined) await caller.call('DELETE', `/interns/${victim.id}`);
    });
    expect(seen).toContain(made[5]!.id);
    for (const { id } of made.filter((_, index) => index % 2 === 0)) expect(seen).toContain(id);
    expect(seen.every((id) => idsOf(made).includes(id))).toBe(true);
  });

  test('pages through interns created in the same microsecond', async () => {
    const caller = await newCaller();
    const made = await makeInterns(caller, 4);
    await gateway.database.query('update interns set created_at = $1 where id = any($2)', [
      '2026-01-01T00:00:00.123457Z',
      idsOf(made),
    ]);
    expect(await readAll(caller, 'limit=1')).toEqual(idsOf(made).toSorted().toReversed());
  });

  test('shows only the statuses that the query names', async () => {
    const caller = await newCaller('management');
    const [queued, running, failed] = await makeInterns(caller, 3);
    for (const [intern, status] of [
      [running, 'running'],
      [failed, 'failed'],
    ] as const) {
      await caller.call('PUT', `/interns/${intern!.id}/status`, { body: { status } });
    }
    const idsWith = async (query: string) => idsOf((await listInterns(caller, query)).data);
    expect(await idsWith('?status=running')).toEqual([running!.id]);
    expect(await idsWith('?status=failed,queued,failed')).toEqual([failed!.id, queued!.id]);
    expect(await idsWith('?status=destroying')).toEqual([]);
    expect(await readAll(caller, 'status=queued,running&limit=1')).toEqual([running!.id, queued!.id]);
  });

  const NINE = Array.from({ length: 9 }, () => 'queued').join(',');
  test.each([
    ['limit=0', 'query.limit'],
    ['limit=501', 'query.limit'],
    ['limit=x', 'query.limit'],
    ['status=gone', 'query.status'],
    ['status=', 'query.status'],
    [`status=${NINE}`, 'query.status'],
    ['starting_after=', 'query.starting_after'],
    ['starting_after=x', 'query.starting_after'],
    ['starting_after=5e0a7c52-6f2e-4f0c-9d83-1b6f5f0a4c7e', 'query.starting_after'],
    [`starting_after=${Buffer.from(`${'9'.repeat(17)} x`).toString('base64url')}`, 'query.starting_after'],
  ])('answers 400 to %s and names the parameter', async (query, path) => {
    const { code, metadata } = await errorOf(await manager.call('GET', `/interns?${query}`));
    expect({ code, issues: metadata.issues }).toMatchObject({ code: 400, issues: [{ path }] });
  });

  test('accepts a cursor unchanged, and answers 400 to an altered one', async () => {
    const caller = await newCaller();
    await makeInterns(caller, 2);
    const { next_cursor: cursor } = await listInterns(caller, '?limit=1');
    for (const [other, status] of [
      [cursor, 200],
      [`${cursor}=`, 400],
      [`${cursor}A`, 400],
      [cursor!.slice(1), 400],
    ]) {
      expect((await caller.call('GET', `/interns?starting_after=${other}`)).status).toBe(status);
    }
  });

  test('shows the workspace of the key, and answers the same 404 to any other', async () => {
    const { workspaceId } = gateway;
    const [workspace, foreign] = [await addWorkspace(gateway), await addOrganization(gateway)];
    const ask = async (id: string) => visibleParts(await manager.call('GET', `/interns?workspace_id=${id}`));
    expect((await ask(workspaceId)).status).toBe(200);
    const unknown = await ask('4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21');
    expect(unknown.status).toBe(404);
    for (const id of [workspace.workspaceId, foreign.workspaceId, 'no-uuid']) {
      expect(await ask(id)).toEqual(unknown);
    }
  });

  test('answers 404 to the key of an intern', async () => {
    const intern = await makeIntern(manager);
    const own = await callerOfIntern(gateway, manager, intern.id);
    expect((await own.call('GET', '/interns')).status).toBe(404);
    expect((await own.call('POST', '/interns', { body: { name: 'Another' } })).status).toBe(404);
  });
});
