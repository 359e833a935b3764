import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { CurrentKey } from '../../contract/accounts/current-key.ts';
import { addKey } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

async function setBudget(interval: string, limitUsd: number): Promise<{ id: string }> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const path = `/workspaces/${gateway.workspaceId}/budgets/${interval}`;
  const response = await manager.call('PUT', path, { body: { limit_usd: limitUsd } });
  return ((await response.json()) as { data: { id: string } }).data;
}

afterEach(() => gateway.database.query('delete from workspace_budgets'));

async function describeKey(caller: Caller): Promise<CurrentKey['data']> {
  return ((await (await caller.call('GET', '/key')).json()) as CurrentKey).data;
}

describe('the budgets of GET /key', () => {
  test('show none for a key without limits', async () => {
    expect(await describeKey(gateway)).toMatchObject({ budgets: [], effective_budget: null });
  });

  test("show the key's limit and its workspace's, with spend and remainder", async () => {
    const { token } = await addKey(gateway, { limitNanos: 2_000_000_000n });
    const caller = createCaller(gateway.origin, token);
    const { id: generationId } = await completed(await askChat(gateway, {}, caller));
    const cost = Number((await ledgerRow(gateway, generationId)).cost_nanos) / 1e9;
    const { id } = await setBudget('daily', 1);
    const own = { scope: 'key_limit', budget_id: null, guardrail_id: null, limit_usd: 2, resets_at: null };
    const ofWorkspace = { scope: 'workspace', budget_id: id, limit_usd: 1, reset_interval: 'daily' };
    const { budgets, effective_budget: effective } = await describeKey(caller);
    expect(budgets).toMatchObject([own, ofWorkspace]);
    for (const budget of budgets) {
      expect(budget.spend_usd).toBeCloseTo(cost, 9);
      expect(budget.remaining_usd).toBeCloseTo(budget.limit_usd - cost, 9);
    }
    expect(effective).toEqual(budgets[1]);
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    expect(effective!.resets_at).toBe(midnight.toISOString());
  });

  test("name the key's spent limit as effective beside a tiny workspace budget", async () => {
    const { token } = await addKey(gateway, { limitNanos: 0n });
    await setBudget('lifetime', 0.000_000_001);
    const { effective_budget: effective } = await describeKey(createCaller(gateway.origin, token));
    expect(effective).toMatchObject({ scope: 'key_limit', remaining_usd: 0 });
  });
});
