import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import type { DestinationSettings } from '../../domain/broadcast/destination.ts';
import type { FilterRule } from '../../domain/broadcast/filter-rules.ts';
import { type BroadcastScene, openBroadcastScene } from '../support/broadcast-scene.ts';

let scene: BroadcastScene;
beforeAll(async () => {
  scene = await openBroadcastScene();
});
afterAll(() => scene.close());

const CONFIG = { type: 'webhook', config: { url: 'https://app.example/', method: 'POST' } } as const;
const PRIVATE: Partial<DestinationSettings> = { privacyMode: true };

function filteredBy(rule: FilterRule, enabled = true): Partial<DestinationSettings> {
  const other: FilterRule = { field: 'model', operator: 'equals', value: 'output' };
  const groups = [
    { logic: 'and' as const, rules: [other] },
    { logic: 'or' as const, rules: [other, rule] },
  ];
  return { privacyMode: true, filterRules: { enabled, groups } };
}

/** What the settings of a workspace with these destinations say. */
async function isWanted(...destinations: Partial<DestinationSettings>[]): Promise<boolean | undefined> {
  const place = await scene.addWorkspace();
  for (const change of destinations) await scene.addDestination(place, CONFIG, change);
  return (await createWorkspaceStore(scene.knex).findById(place.workspaceId))?.needsBroadcastContent;
}

test('a workspace keeps content that a destination sends, even a disabled one', async () => {
  expect(await isWanted()).toBe(false);
  expect(await isWanted(PRIVATE)).toBe(false);
  expect(await isWanted(PRIVATE, {})).toBe(true);
  expect(await isWanted({ enabled: false })).toBe(true);
});

test.each(['input', 'output'] as const)('a workspace keeps content when a filter reads %s', async (field) => {
  expect(await isWanted(PRIVATE, filteredBy({ field, operator: 'exists' }))).toBe(true);
  expect(await isWanted(filteredBy({ field, operator: 'exists' }, false))).toBe(true);
  expect(await isWanted(filteredBy({ field: 'provider', operator: 'equals', value: field }))).toBe(false);
});
