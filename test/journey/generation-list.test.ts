import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GenerationListItemBody } from '../../contract/insights/generation-list.ts';
import { newGenerationId } from '../../domain/ids.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import {
  addKey,
  addOrganization,
  addUser,
  addWorkspace,
  type IssuedKey,
  type Place,
} from '../support/accounts.ts';
import { recordGenerations } from '../support/analytics.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

interface Page {
  data: GenerationListItemBody[];
  next: string | null;
  scanned_to: string;
}

const HOUR_MS = 3_600_000;
let gateway: Gateway;
let manager: Caller;
let key: IssuedKey;
let otherWorkspace: Place;
let otherKey: IssuedKey;
let userId: string;
let recorded: GenerationRecord[];
/** So many hours ago, each generation at a time of its own. */
const hoursAgo = (hours: number): Pick<GenerationRecord, 'id' | 'settledAt'> => {
  const createdMs = Date.now() - hours * HOUR_MS;
  return { id: newGenerationId(createdMs), settledAt: new Date(createdMs + 500) };
};

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  key = await addKey(gateway, { name: 'Backend' });
  otherWorkspace = await addWorkspace(gateway);
  otherKey = await addKey(gateway, { ...otherWorkspace, name: 'Reports' });
  userId = await addUser(gateway, gateway.organizationId);
  const foreign = await addOrganization(gateway);
  const foreignKey = await addKey(gateway, foreign);
  const ours = { keyId: key.keyId, model: 'local/echo-1', provider: 'local' };
  recorded = await recordGenerations(gateway, [
    { ...ours, ...hoursAgo(0.1), externalUser: 'end user', costNanos: 3_000_000n },
    { ...ours, ...hoursAgo(0.2), status: 'failed', sessionId: 'session 1' },
    { ...ours, ...hoursAgo(20), ...otherWorkspace, keyId: otherKey.keyId, userId },
    { ...ours, ...hoursAgo(30), apiType: 'image', isByok: true, costNanos: 2_000_000n },
    { ...ours, ...hoursAgo(31 * 24), model: 'cohere/rerank-4-fast', provider: 'cohere' },
    { ...ours, ...hoursAgo(85 * 24), streamed: true, presetId: 'preset' },
  ]);
  await recordGenerations(gateway, [{ ...ours, ...hoursAgo(1), ...foreign, keyId: foreignKey.keyId }]);
});

afterAll(() => gateway.close());

async function pageOf(caller: Caller, query: Record<string, string> = {}): Promise<Page> {
  const response = await caller.call('GET', `/generations?${new URLSearchParams(query).toString()}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as Page;
}

/** The generations of all pages. */
async function allOf(caller: Caller, query: Record<string, string>): Promise<Page> {
  const page = await pageOf(caller, query);
  if (page.next === null) return page;
  const rest = await allOf(caller, { ...query, cursor: page.next });
  return { ...rest, data: [...page.data, ...rest.data] };
}

const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);
/** The ids of the recorded generations at these places. */
const idsAt = (...places: number[]): string[] => places.map((place) => recorded[place]!.id);

/** A filter, a value, and the places of the generations that it finds. */
const FILTERS: [name: string, valueOf: () => string, places: number[]][] = [
  ['workspace_id', () => otherWorkspace.workspaceId, [2]],
  ['api_key_hash', () => otherKey.hash.toUpperCase(), [2]],
  ['model', () => 'cohere/rerank-4-fast', [4]],
  ['provider', () => 'cohere', [4]],
  ['api_type', () => 'image', [3]],
  ['status', () => 'failed', [1]],
  ['user_id', () => userId, [2]],
  ['external_user', () => 'end user', [0]],
  ['session_id', () => 'session 1', [1]],
  ['min_cost', () => '0.002', [0, 3]],
  ['max_cost', () => '0.0021', [1, 2, 3, 4, 5]],
  ['start', () => new Date(Date.now() - 25 * HOUR_MS).toISOString(), [0, 1, 2]],
  ['end', () => new Date(Date.now() - 25 * HOUR_MS).toISOString(), [3, 4, 5]],
  ['model', () => "nobody's/model", []],
  ['api_key_hash', () => 'ab'.repeat(32), []],
];

describe('GET /generations', () => {
  test('lists all generations of the organization, the newest first, to a management key', async () => {
    const page = await pageOf(manager);
    expect(idsOf(page)).toEqual(recorded.map(({ id }) => id));
    expect(page.next).toBeNull();
    expect(Date.parse(page.scanned_to)).toBeLessThan(Date.now() - 89 * 24 * HOUR_MS);
  });

  test('shows what a generation used, by whose key, and its status', async () => {
    const { data } = await pageOf(manager, { limit: '1' });
    expect(data).toEqual([
      {
        id: recorded[0]!.id,
        created_at: new Date(Number(recorded[0]!.id.split('-')[1])).toISOString(),
        workspace_id: gateway.workspaceId,
        api_key_hash: key.hash,
        api_key_name: 'Backend',
        model: 'local/echo-1',
        provider_name: 'Local upstream',
        api_type: 'completions',
        status: 'completed',
        finish_reason: 'stop',
        usage: 0.003,
        total_cost: 0.003,
        is_byok: false,
        streamed: false,
        latency: 120,
        generation_time: 400,
        tokens_prompt: 10,
        tokens_completion: 20,
        native_tokens_reasoning: null,
        native_tokens_cached: null,
        user_id: null,
        external_user: 'end user',
        preset_id: null,
      },
    ]);
  });

  test('charges nothing for a generation with the own key of the customer', async () => {
    const { data } = await allOf(manager, { api_type: 'image' });
    expect(data).toMatchObject([{ is_byok: true, usage: 0, total_cost: 0.002 }]);
  });

  test('lists only its own workspace to a regular key, even if it asks for another one', async () => {
    const caller = createCaller(gateway.origin, otherKey.token);
    expect(idsOf(await pageOf(caller))).toEqual(idsAt(2));
    expect(idsOf(await pageOf(caller, { workspace_id: gateway.workspaceId }))).toEqual([]);
    expect(idsOf(await pageOf(caller, { api_key_hash: key.hash }))).toEqual([]);
  });

  test.each(FILTERS)('filters by %s (case %#)', async (name, valueOf, places) => {
    expect(idsOf(await allOf(manager, { [name]: valueOf() }))).toEqual(idsAt(...places));
  });

  test('continues after the last generation of a page until none is left', async () => {
    const pages: string[][] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page: Page = await pageOf(manager, { limit: '2', ...(cursor === undefined ? {} : { cursor }) });
      pages.push(idsOf(page));
      cursor = page.next;
    }
    expect(pages).toEqual([idsAt(0, 1), idsAt(2, 3), idsAt(4, 5), []]);
  });

  test('lists generations of the same millisecond once each across pages', async () => {
    const createdMs = Date.now() - 2 * HOUR_MS;
    const place = await addOrganization(gateway);
    const twins = await recordGenerations(
      gateway,
      Array.from({ length: 5 }, () => ({ ...place, id: newGenerationId(createdMs) })),
    );
    const own = createCaller(gateway.origin, (await addKey(gateway, place)).token);
    const first = await pageOf(own, { limit: '3' });
    const second = await pageOf(own, { limit: '3', cursor: first.next! });
    const sorted = twins
      .map(({ id }) => id)
      .toSorted()
      .toReversed();
    expect([...idsOf(first), ...idsOf(second)]).toEqual(sorted);
    expect(second.next).toBeNull();
  });

  test.each([
    ['limit', '101', 'query.limit'],
    ['cursor', 'gen-x', 'query.cursor'],
    ['start', 'yesterday', 'query.start'],
    ['api_key_hash', 'sk-1', 'query.api_key_hash'],
    ['min_cost', '-1', 'query.min_cost'],
    ['status', 'done', 'query.status'],
  ])('refuses a wrong %s by its name', async (name, value, path) => {
    const query = new URLSearchParams({ [name]: value }).toString();
    const error = await errorOf(await manager.call('GET', `/generations?${query}`));
    expect(error).toMatchObject({ code: 400, metadata: { issues: [{ path }] } });
  });

  test('refuses an end before the start', async () => {
    const query = 'start=2026-02-01T00:00:00Z&end=2026-01-01T00:00:00Z';
    const error = await errorOf(await manager.call('GET', `/generations?${query}`));
    expect(error).toMatchObject({ code: 400, metadata: { issues: [{ path: 'query.end' }] } });
  });
});
