import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addKey, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { addManagedOrganization } from '../support/organizations.ts';
import { type Replica, startReplica } from '../support/replica.ts';

interface WireBudget {
  id: string;
  workspace_id: string;
  limit_usd: number;
  reset_interval: string | null;
  created_at: string;
  updated_at: string;
}

interface BudgetAnswer {
  data: WireBudget;
  include_byok_in_budgets: boolean;
}

let gateway: Gateway;
let second: Replica;
let place: Place;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  second = await startReplica(gateway);
});

afterAll(async () => {
  await second.close();
  await gateway.close();
});

/** Each test has an organization of its own. */
beforeEach(async () => {
  ({ place, manager } = await addManagedOrganization(gateway));
});

const pathOf = (interval = ''): string => `/workspaces/${place.workspaceId}/budgets${interval}`;
const put = (interval: string, body: unknown): Promise<Response> =>
  manager.call('PUT', pathOf(`/${interval}`), { body });

async function answerOf<Body>(response: Response): Promise<Body> {
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

const set = async (interval: string, body: object): Promise<BudgetAnswer> =>
  answerOf(await put(interval, body));
const list = async (): Promise<{ data: WireBudget[]; include_byok_in_budgets: boolean }> =>
  answerOf(await manager.call('GET', pathOf()));

describe('workspace budgets', () => {
  test('support creation, reading, change and deletion, one for each interval', async () => {
    expect(await list()).toEqual({ data: [], include_byok_in_budgets: false });
    const lifetime = await set('lifetime', { limit_usd: 0.5 });
    const daily = await set('daily', { limit_usd: 12.345678901 });
    expect(daily).toEqual({
      data: {
        id: expect.any(String),
        workspace_id: place.workspaceId,
        limit_usd: 12.345678901,
        reset_interval: 'daily',
        created_at: expect.stringMatching(/Z$/),
        updated_at: daily.data.created_at,
      },
      include_byok_in_budgets: false,
    });
    expect(lifetime.data.reset_interval).toBeNull();
    expect(await list()).toEqual({ data: [daily.data, lifetime.data], include_byok_in_budgets: false });

    const changed = await set('daily', { limit_usd: 3 });
    expect(changed.data).toEqual({ ...daily.data, limit_usd: 3, updated_at: expect.any(String) });
    expect(await answerOf(await manager.call('GET', pathOf('/daily')))).toEqual(changed);
    expect((await manager.call('GET', pathOf('/weekly'))).status).toBe(404);

    for (const _time of [1, 2]) {
      expect(await answerOf(await manager.call('DELETE', pathOf('/daily')))).toEqual({ deleted: true });
    }
    expect((await list()).data).toEqual([lifetime.data]);
    const target = `workspaces/${place.workspaceId}/budgets/daily`;
    expect((await auditRows(gateway, target)).map(({ action }) => action)).toEqual([
      'setWorkspaceBudget',
      'setWorkspaceBudget',
      'deleteWorkspaceBudget',
    ]);
  });

  test('set for the whole workspace whether BYOK usage counts', async () => {
    await set('daily', { limit_usd: 1, include_byok_in_budgets: true });
    expect(await set('monthly', { limit_usd: 1 })).toMatchObject({ include_byok_in_budgets: true });
    expect((await list()).include_byok_in_budgets).toBe(true);
    const workspace = await manager.call('GET', `/workspaces/${place.workspaceId}`);
    expect(await workspace.json()).toMatchObject({ data: { include_byok_in_budgets: true } });
    expect(await set('daily', { limit_usd: 1, include_byok_in_budgets: false })).toMatchObject({
      include_byok_in_budgets: false,
    });
    // The switch is one of the workspace, and leaves its own row whenever it is turned.
    expect(await auditRows(gateway, `workspaces/${place.workspaceId}`)).toMatchObject([
      { action: 'setWorkspaceBudget' },
      { action: 'setWorkspaceBudget' },
    ]);
  });

  test.each<[string, unknown]>([
    ['daily', {}],
    ['daily', { limit_usd: 0 }],
    ['daily', { limit_usd: -1 }],
    ['daily', { limit_usd: '1' }],
    ['daily', { limit_usd: null }],
    ['daily', { limit_usd: 1e10 }],
    ['daily', { limit_usd: 1, include_byok_in_budgets: null }],
    ['yearly', { limit_usd: 1 }],
    ['Daily', { limit_usd: 1 }],
  ])('answer 400 to a %s budget of %j', async (interval, body) => {
    expect((await errorOf(await put(interval, body))).code).toBe(400);
    expect((await list()).data).toEqual([]);
  });

  test('answer 400 when an unknown interval is read or deleted', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect((await errorOf(await manager.call(method, pathOf('/yearly')))).code).toBe(400);
    }
  });

  test('keep one row when four requests set the same interval at once', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((usd) => set('weekly', { limit_usd: usd, include_byok_in_budgets: usd > 2 })),
    );
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
    expect((await list()).data).toHaveLength(1);
  });

  test("stop the workspace's requests on every replica, until deleted", async () => {
    const { token } = await addKey(gateway, place);
    const callers = [gateway.origin, second.origin].map((origin) => createCaller(origin, token));
    for (const caller of callers) await completed(await askChat(gateway, {}, caller));
    const stopped = (caller: Caller) =>
      eventually('a refusal', async () => {
        const response = await askChat(gateway, {}, caller);
        if (response.status === 200) return undefined;
        return errorOf(response);
      });
    await set('lifetime', { limit_usd: 0.000_000_001 });
    for (const caller of callers) {
      expect(await stopped(caller)).toMatchObject({ code: 402, message: 'Workspace budget exceeded' });
    }
    await manager.call('DELETE', pathOf('/lifetime'));
    for (const caller of callers) {
      await eventually('an answer', async () => {
        const response = await askChat(gateway, {}, caller);
        return response.status === 200 ? true : undefined;
      });
    }
  });
});
