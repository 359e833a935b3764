import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runRankings } from '../../admin/rankings.ts';
import { addDays, utcDayOf } from '../../domain/utc-day.ts';
import { openRankingsScene, type RankingsScene } from '../support/rankings-scene.ts';

let scene: RankingsScene;
beforeAll(async () => {
  scene = await openRankingsScene([]);
});
afterAll(() => scene.end());

const rankings = (...args: string[]): Promise<string> => runRankings(scene.close, args);

test('rankings close closes missed days, and rankings rebuild rebuilds closed days', async () => {
  const ago = (days: number): string => addDays(utcDayOf(new Date()), -days);
  await scene.database.query(`select ensure_ledger_partition(now() - interval '3 days')`);
  expect(await rankings('close')).toContain(`Closed: ${ago(3)}, ${ago(2)}`);
  expect(await rankings('close')).toBe('No day was missed.');
  expect(await rankings('rebuild', '--from', ago(3), '--to', ago(2))).toBe('Rebuilt 2 of 2 days.');
  expect(await rankings('rebuild', '--from', ago(3))).toBe('Rebuilt 1 of 1 days.');
});

test.each([
  [[]],
  [['reopen']],
  [['rebuild']],
  [['rebuild', '--from', '2026-02-30']],
  [['rebuild', '--from', '2024-12-31']],
  [['rebuild', '--from', '2026-02-02', '--to', '2026-02-01']],
  [['rebuild', '--from', '2999-01-01']],
])('rankings %j is refused with the reason', async (args) => {
  await expect(rankings(...args)).rejects.toThrow(/^rankings: |^--from must be a day|^Days must be from/);
});
