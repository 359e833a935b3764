import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { closeMissedDays } from '../../../../services/insights/rankings/close-days.ts';
import type { RankingsService } from '../../../../services/insights/rankings/rankings-service.ts';
import {
  openRankingsScene,
  RANKED,
  type RankingsScene,
  usedGeneration as used,
} from '../../../support/rankings-scene.ts';

let scene: RankingsScene;
beforeAll(async () => {
  scene = await openRankingsScene(RANKED);
});
afterAll(() => scene.end());
beforeEach(() => scene.clear());

const exact = { period: 'day', slice: { dataset: 'exact' } } as const;

async function rowsAt(now: Date): Promise<string[]> {
  const { rows } = await scene.serviceAt(() => now).models({ ...exact, window: {} });
  return rows.map(({ date, model, totalTokens }) => `${date} ${model} ${totalTokens}`);
}

describe('rankings', () => {
  const NOW = new Date('2026-03-02T01:00:00Z');
  const at = '2026-03-01T12:00:00Z';
  const tokens = (prompt: number) => ({ usage: { prompt, completion: 0 } });

  test('list fifty models, break ties by name and add up the rest', async () => {
    await scene.record([
      ...RANKED.slice(0, 48).map((model) => used(at, { model, ...tokens(100) })),
      ...RANKED.slice(48)
        .toReversed()
        .map((model) => used(at, { model, ...tokens(7) })),
    ]);
    await closeMissedDays(scene.close, NOW);
    const rows = await rowsAt(NOW);
    expect(rows).toHaveLength(51);
    expect(rows.slice(47)).toEqual(
      ['a/m47 100', 'a/m48 7', 'a/m49 7', 'other 21'].map((row) => `2026-03-01 ${row}`),
    );
  });

  test('have no row "other" when there are only fifty models', async () => {
    await scene.record(RANKED.slice(0, 50).map((model) => used(at, { model })));
    await closeMissedDays(scene.close, NOW);
    const rows = await rowsAt(NOW);
    expect(rows).toHaveLength(50);
    expect(rows.join()).not.toContain('other');
  });

  test('leave private and BYOK traffic out, and out of "other"', async () => {
    await scene.record([
      used(at, { model: 'private/model' }),
      used(at, { isByok: true, app: { origin: 'https://byok.example', title: null } }),
      used(at, tokens(0)),
    ]);
    await closeMissedDays(scene.close, NOW);
    expect((await scene.tables()).slice(0, 3)).toEqual([[], [], []]);
    expect(await rowsAt(NOW)).toEqual([]);
  });

  test('come from a cache for one minute with the time of their closing', async () => {
    await scene.record([used(at)]);
    let now = NOW;
    const service = scene.serviceAt(() => now);
    const models = () => service.models({ ...exact, window: {} });
    const empty = await models();
    const { startDate } = empty.window;
    expect([empty.rows, empty.asOf]).toEqual([[], new Date(`${startDate}T00:00:00Z`)]);
    await closeMissedDays(scene.close, now);
    now = new Date(NOW.getTime() + 59_999);
    expect(await models()).toBe(empty);
    now = new Date(NOW.getTime() + 60_000);
    const later = await models();
    const { rows } = await scene.database.query('select closed_at from rankings_days');
    expect([later.rows.length, later.asOf]).toEqual([1, rows[0].closed_at]);
  });

  test('fail with invalid_request when no day of the window is over', async () => {
    const service = scene.serviceAt(() => NOW);
    const today = { startDate: '2026-03-02', endDate: '2026-03-09' };
    await expect(service.models({ ...exact, window: today })).rejects.toMatchObject({
      code: 'invalid_request',
      options: {
        issues: [
          { path: 'query.start_date', message: 'must not be after 2026-03-01, the last day that is over' },
        ],
      },
    });
  });
});

describe('the ranking of apps', () => {
  const NOW = new Date('2026-03-09T01:00:00Z');
  const by = (origin: string, title: string | null, prompt: number, day: string) =>
    used(`${day}T12:00:00Z`, { app: { origin, title }, usage: { prompt, completion: 0 } });
  const window = { startDate: '2026-03-07', endDate: '2026-03-08' };
  const page = { limit: 10, offset: 0 };
  const linesOf = ({ rows }: Awaited<ReturnType<RankingsService['apps']>>): string[] =>
    rows.map(({ origin, title, totalRequests, totalTokens }) =>
      [origin, title, totalRequests, totalTokens].join(' '),
    );

  test('sorts by tokens, lists each app once and leaves out localhost', async () => {
    await scene.record([
      by('https://small.example', 'Small', 5, '2026-03-08'),
      by('https://large.example', null, 5, '2026-03-07'),
      by('https://large.example', null, 5, '2026-03-08'),
      by('http://localhost:3000', 'Mine', 500, '2026-03-08'),
      by('https://large.example', null, 500, '2026-03-06'),
    ]);
    await closeMissedDays(scene.close, NOW);
    const service = scene.serviceAt(() => NOW);
    const lines = ['https://large.example  2 10', 'https://small.example Small 1 5'];
    expect(linesOf(await service.apps({ window, sort: 'popular', ...page }))).toEqual(lines);
    expect(linesOf(await service.apps({ window, sort: 'popular', limit: 1, offset: 1 }))).toEqual([lines[1]]);
  });

  test('sorts trending apps by growth over the three windows before', async () => {
    await scene.record([
      by('https://steady.example', null, 10, '2026-03-08'),
      by('https://steady.example', null, 30, '2026-03-01'),
      by('https://grown.example', null, 11, '2026-03-07'),
      by('https://grown.example', null, 30, '2026-03-02'),
      by('https://new.example', null, 3, '2026-03-08'),
      by('https://older.example', null, 99, '2026-02-28'),
      by('https://older.example', null, 1, '2026-03-08'),
      by('https://fallen.example', null, 99, '2026-03-06'),
      by('https://fallen.example', null, 32, '2026-03-08'),
    ]);
    await closeMissedDays(scene.close, NOW);
    const trending = await scene.serviceAt(() => NOW).apps({ window, sort: 'trending', ...page });
    expect(linesOf(trending)).toEqual([
      'https://new.example  1 3',
      'https://grown.example  1 11',
      'https://older.example  1 1',
    ]);
  });
});
