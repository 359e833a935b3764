/** Opens what the tests of budget alerts work with: a gateway, and the activities that scan limits. */
import { afterAll, beforeAll } from '@jest/globals';
import type { BudgetAlertDeps } from '../../services/ledger/budget-alerts/check-limits.ts';
import { createActivityDeps, type TestActivityDeps } from './activity-deps.ts';
import {
  addCustomer,
  type Customer,
  type CustomerFacts,
  scanNow,
  spend,
  thresholdsOf,
} from './budget-alerts.ts';
import { type Gateway, startGateway } from './gateway.ts';

export interface AlertScene {
  gateway: Gateway;
  activities: TestActivityDeps;
  deps: BudgetAlertDeps;
}

/** Opens and closes a scene for the tests of a suite. The returned functions act on the scene. */
export function useAlertScene(begin: (scene: AlertScene) => unknown) {
  let scene: AlertScene;
  beforeAll(async () => {
    const gateway = await startGateway();
    const activities = await createActivityDeps(gateway);
    scene = { gateway, activities, deps: activities.sweeping.sweep };
    await begin(scene);
  });
  afterAll(async () => {
    await scene.activities.close();
    await scene.gateway.close();
  });
  return {
    scan: (atMs?: number): Promise<number> => scanNow(scene.gateway, scene.deps, atMs),
    customerWith: (facts?: CustomerFacts): Promise<Customer> => addCustomer(scene.gateway, facts),
    thresholdsOf: (customer: Customer): Promise<number[]> => thresholdsOf(scene.gateway, customer),
    pay: (customer: Customer, usd: number, how: { atMs?: number; isByok?: boolean } = {}) =>
      spend(scene.gateway, customer, usd, how),
  };
}
