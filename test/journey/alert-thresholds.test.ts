import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getWorkspace, makeWorkspace, updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

describe('budget_alert_thresholds', () => {
  const patch = (body: object) => manager.call('PATCH', '/workspaces/default', { body });

  test('defaults to 50, 80 and 100, and stores each value once in ascending order', async () => {
    const { id, budget_alert_thresholds: thresholds } = await makeWorkspace(manager, 'with-thresholds');
    expect(thresholds).toEqual([50, 80, 100]);
    const set = async (value: unknown) =>
      (await updateWorkspace(manager, id, { budget_alert_thresholds: value })).budget_alert_thresholds;
    expect(await set([90, 1, 100, 90])).toEqual([1, 90, 100]);
    expect(await set([])).toEqual([]);
    expect(await set([7])).toEqual([7]);
    expect(await set(null)).toEqual([]);
    expect((await getWorkspace(manager, id)).budget_alert_thresholds).toEqual([]);
    const own = await makeWorkspace(manager, 'with-one', { budget_alert_thresholds: [10] });
    expect(own.budget_alert_thresholds).toEqual([10]);
  });

  test.each([[[0]], [[101]], [[50.5]], [['50']], [50], [Array.from({ length: 11 }, (_, n) => n + 1)]])(
    'refuses %j with 400 and the path of the value',
    async (value) => {
      const { code, metadata } = await errorOf(await patch({ budget_alert_thresholds: value }));
      expect([code, metadata.issues?.[0]?.path]).toEqual([
        400,
        expect.stringMatching(/^body\.budget_alert_thresholds(\.0)?$/),
      ]);
    },
  );
});
