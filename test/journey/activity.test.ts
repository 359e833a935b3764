import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newGenerationId } from '../../domain/ids.ts';
import { addDays, startOf, utcDayOf } from '../../domain/utc-day.ts';
import { addKey, addOrganization, addWorkspace, type IssuedKey, type Place } from '../support/accounts.ts';
import { recordGenerations } from '../support/analytics.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

type WireActivity = Record<string, string | number>;

let gateway: Gateway;
let manager: Caller;
let near: Place;
let foreign: Place;
let key: IssuedKey;
let foreignKey: IssuedKey;
const today = utcDayOf(new Date());
const yesterday = addDays(today, -1);
const first = addDays(today, -30);

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  [near, foreign] = [await addWorkspace(gateway), await addOrganization(gateway)];
  [key, foreignKey] = [await addKey(gateway, near), await addKey(gateway, foreign)];
  const on = (day: string, msAfterMidnight = 0) => {
    const atMs = startOf(day).getTime() + msAfterMidnight;
    return { settledAt: new Date(atMs), id: newGenerationId(atMs) };
  };
  const local = { model: 'local/echo-1', provider: 'local' };
  await recordGenerations(gateway, [
    { ...on(addDays(first, -1), 86_399_999), ...local },
    { ...on(first), ...local },
    { ...on(yesterday, 86_399_999), ...local, userId: 'user_a' },
    {
      ...on(yesterday),
      ...local,
      ...near,
      keyId: key.keyId,
      isByok: true,
      usage: { prompt: 1, completion: 2, reasoning: 1, cacheRead: 1 },
    },
    { ...on(yesterday), model: 'gone/model', provider: 'gone' },
    { ...on(yesterday), ...local, ...foreign, keyId: foreignKey.keyId },
    { ...on(today), ...local },
  ]);
});

afterAll(() => gateway.close());

async function list(query = ''): Promise<WireActivity[]> {
  const response = await manager.call('GET', `/activity${query}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return (JSON.parse(text) as { data: WireActivity[] }).data;
}

const brief = (items: WireActivity[]) => items.map((item) => [item['date'], item['model'], item['requests']]);

test('GET /activity lists the last 30 completed days by day, model and provider', async () => {
  const items = await list();
  expect(brief(items)).toEqual([
    [yesterday, 'gone/model', 1],
    [yesterday, 'local/echo-1', 2],
    [first, 'local/echo-1', 1],
  ]);
  expect(items[1]).toEqual({
    date: yesterday,
    model: 'local/echo-1',
    model_permaslug: 'local/echo-1',
    endpoint_id: expect.stringMatching(/./),
    provider_name: 'Local upstream',
    usage: 0.000001,
    byok_usage_inference: 0.000001,
    requests: 2,
    prompt_tokens: 11,
    completion_tokens: 22,
    reasoning_tokens: 1,
    cached_tokens: 1,
  });
  expect(items[0]).toMatchObject({ provider_name: 'gone', endpoint_id: 'gone/gone/model' });
});

test('GET /activity?group_by=workspace splits the rows by workspace', async () => {
  const items = await list('?group_by=workspace');
  expect(items.filter(({ model, date }) => model === 'local/echo-1' && date === yesterday)).toEqual(
    [gateway.workspaceId, near.workspaceId]
      .toSorted()
      .map((id) => expect.objectContaining({ workspace_id: id, requests: 1 })),
  );
});

test('GET /activity filters by day, key, user and workspace, and finds nothing for foreign ids', async () => {
  expect(brief(await list(`?date=${first}`))).toEqual([[first, 'local/echo-1', 1]]);
  expect(brief(await list(`?api_key_hash=${key.hash}`))).toEqual([[yesterday, 'local/echo-1', 1]]);
  expect(brief(await list('?user_id=user_a'))).toEqual([[yesterday, 'local/echo-1', 1]]);
  expect(brief(await list(`?workspace_id=${near.workspaceId}`))).toEqual([[yesterday, 'local/echo-1', 1]]);
  expect(await list(`?api_key_hash=${foreignKey.hash}`)).toEqual([]);
  expect(await list(`?workspace_id=${foreign.workspaceId}`)).toEqual([]);
  expect(await list('?user_id=user_nobody')).toEqual([]);
});

test('GET /activity answers 400 above 20,000 rows and suggests a filter', async () => {
  const { workspaceId } = await addWorkspace(gateway);
  await gateway.database.query(
    `insert into daily_usage
     select copy.* from generate_series(1, 20001) n,
       (select u.* from daily_usage u join workspaces w on w.organization_id = u.organization_id
        where w.id = $1 and u.bucket = $2 limit 1) d,
       jsonb_populate_record(null::daily_usage,
         to_jsonb(d) || jsonb_build_object('workspace_id', $1::text, 'model', 'm/' || n)) copy`,
    [workspaceId, startOf(yesterday)],
  );
  const answer = await manager.call('GET', `/activity?workspace_id=${workspaceId}`);
  const { code, metadata } = await errorOf(answer);
  expect([code, metadata.issues]).toEqual([
    400,
    [{ path: 'query', message: expect.stringMatching(/more than 20000 rows: narrow it down by date/) }],
  ]);
});

test.each([
  ['today', today, /must be one of the last 30 completed days/],
  ['too long ago', addDays(first, -1), /must be one of the last 30 completed days/],
  ['a time', `${yesterday}T00:00:00Z`, /must be a day/],
  ['no day', '2026-02-30', /must be a day/],
])('GET /activity answers 400 for %s', async (_what, date, message) => {
  const { code, metadata } = await errorOf(await manager.call('GET', `/activity?date=${date}`));
  expect([code, metadata.issues]).toEqual([
    400,
    [{ path: 'query.date', message: expect.stringMatching(message) }],
  ]);
});
