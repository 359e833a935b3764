import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keepPartitions } from '../../../../services/sweep/keep-partitions.ts';
import {
  closeMissedDays,
  closeNextDay,
  rebuildDays,
} from '../../../../services/insights/rankings/close-days.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  openRankingsScene,
  RANKED,
  type RankingsScene,
  usedGeneration as used,
} from '../../../support/rankings-scene.ts';

const [MODEL = ''] = RANKED;
let scene: RankingsScene;
beforeAll(async () => {
  scene = await openRankingsScene(RANKED);
});
afterAll(() => scene.end());
beforeEach(async () => {
  await scene.clear();
  const { rows } = await scene.database.query<{ name: string }>(
    `select relname name from pg_class where relname ~ '^generation(s|_details)_\\d{8}$'`,
  );
  for (const { name } of rows) await scene.database.query(`drop table ${name}`);
});

/** What the work comes to that has to wait for the table in its middle, while the other thing is done. */
async function held<T>(table: string, work: () => Promise<T>, meanwhile: () => Promise<void>): Promise<T> {
  const holder = await scene.database.connect();
  try {
    await holder.query('begin');
    await holder.query(`lock table ${table} in exclusive mode`);
    const working = work();
    await eventually(`a wait for ${table}`, async () => {
      const waiting = 'select from pg_locks where relation = $1::regclass and not granted';
      const { rowCount } = await holder.query(waiting, [table]);
      return rowCount === 0 ? undefined : true;
    });
    await meanwhile();
    await holder.query('commit');
    return await working;
  } finally {
    // Closed, so that nothing waits for it when a step failed.
    holder.release(true);
  }
}

const closedDays = async (): Promise<string[]> => {
  const { rows } = await scene.database.query<{ day: string }>(
    'select day::text from rankings_days order by closed_at',
  );
  return rows.map(({ day }) => day);
};

const close = async (now: string): Promise<string[]> =>
  (await closeMissedDays(scene.close, new Date(now))).closed;

const exact = { period: 'day', slice: { dataset: 'exact' } } as const;

async function rowsAt(now: string): Promise<string[]> {
  const { rows } = await scene.serviceAt(() => new Date(now)).models({ ...exact, window: {} });
  return rows.map(({ date, model, totalTokens }) => `${date} ${model} ${totalTokens}`);
}

describe('the closing of days', () => {
  test('closes all missed days in order, each once', async () => {
    await scene.record([used('2026-03-01T12:00:00Z'), used('2026-03-04T12:00:00Z')]);
    const now = new Date('2026-03-06T00:10:00Z');
    expect(await closeNextDay(scene.close, now)).toEqual({ day: '2026-03-01', more: true });
    expect(await closeMissedDays(scene.close, now)).toEqual({
      closed: ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'],
      failed: [],
    });
    expect(await closeNextDay(scene.close, now)).toEqual({ more: false });
    expect(await closedDays()).toEqual([
      '2026-03-01',
      '2026-03-02',
      '2026-03-03',
      '2026-03-04',
      '2026-03-05',
    ]);
    expect(await rowsAt('2026-03-06T01:00:00Z')).toEqual([
      `2026-03-01 ${MODEL} 30`,
      `2026-03-04 ${MODEL} 30`,
    ]);
  });

  test('begins five minutes after midnight', async () => {
    await scene.record([used('2026-03-01T12:00:00Z')]);
    expect(await close('2026-03-02T00:04:59Z')).toEqual([]);
    expect(await close('2026-03-02T00:05:00Z')).toEqual(['2026-03-01']);
  });

  test('closes nothing without a ledger, and no day before 2025-01-01', async () => {
    expect(await close('2026-03-06T00:10:00Z')).toEqual([]);
    await scene.record([used('2024-12-31T12:00:00Z')]);
    expect(await close('2025-01-02T01:00:00Z')).toEqual(['2025-01-01']);
  });

  test('counts a generation on the day it was settled, so closed days stay unchanged', async () => {
    const now = new Date('2026-03-05T01:00:00Z');
    await scene.record([used('2026-03-02T12:00:00Z')]);
    await closeMissedDays(scene.close, now);
    await scene.record([used('2026-03-05T00:30:00Z', {}, 26 * 3_600_000)]);
    const before = await scene.tables();
    expect(await close('2026-03-05T01:00:00Z')).toEqual([]);
    expect(await rebuildDays(scene.close, ['2026-03-02', '2026-03-03', '2026-03-04'], now)).toEqual([]);
    expect(await scene.tables()).toEqual(before);
    await closeMissedDays(scene.close, new Date('2026-03-06T01:00:00Z'));
    expect(await rowsAt('2026-03-06T01:00:00Z')).toEqual([
      `2026-03-02 ${MODEL} 30`,
      `2026-03-05 ${MODEL} 30`,
    ]);
  });

  test('counts a generation whose id is later than the end of its day', async () => {
    await scene.record([used('2026-03-01T12:00:00Z'), used('2026-03-01T23:59:59Z', {}, -3_000_000)]);
    await close('2026-03-02T00:10:00Z');
    expect(await rowsAt('2026-03-02T01:00:00Z')).toEqual([`2026-03-01 ${MODEL} 60`]);
  });

  test('stores each row once when three processes close at once', async () => {
    await scene.record([used('2026-03-01T12:00:00Z'), used('2026-03-02T12:00:00Z')]);
    const now = new Date('2026-03-03T01:00:00Z');
    await Promise.all([1, 2, 3].map(() => closeMissedDays(scene.close, now)));
    expect(await rowsAt('2026-03-03T01:00:00Z')).toEqual([
      `2026-03-01 ${MODEL} 30`,
      `2026-03-02 ${MODEL} 30`,
    ]);
  });

  test('precedes the drop of generations, after which the rankings stay as they were', async () => {
    await scene.record([used('2026-03-01T12:00:00Z'), used('2026-03-02T12:00:00Z')]);
    const now = new Date('2026-03-20T01:00:00Z');
    const { url, logger } = scene.close;
    const retentionMs = 10 * 86_400_000;
    expect(await keepPartitions({ url, retentionMs, logger }, now)).toEqual({
      dropped: 2,
      busy: 0,
    });
    const kept = [`2026-03-01 ${MODEL} 30`, `2026-03-02 ${MODEL} 30`];
    expect(await rowsAt('2026-03-20T01:00:00Z')).toEqual(kept);
    expect(await rebuildDays(scene.close, ['2026-03-01', '2026-03-02'], now)).toEqual([
      '2026-03-01',
      '2026-03-02',
    ]);
    expect(await rowsAt('2026-03-20T01:00:00Z')).toEqual(kept);
  });

  test('does not repeat when earlier days are dropped', async () => {
    const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
    await scene.record(days.map((day) => used(`${day}T12:00:00Z`)));
    await close('2026-03-10T00:10:00Z');
    // As a version left it that did not count.
    await scene.database.query('update rankings_days set request_count = 0');
    const closings = async () =>
      (await scene.database.query('select day, closed_at from rankings_days order by day')).rows;
    const before = await closings();
    const { url, logger } = scene.close;
    const report = await keepPartitions(
      { url, logger, retentionMs: 30 * 86_400_000 },
      new Date('2026-04-01T10:00:00Z'),
    );
    expect(report.dropped).toBe(1);
    expect(await closings()).toEqual(before);
  });

  test('repeats within three days when late generations are recorded', async () => {
    await scene.record([used('2026-03-01T12:00:00Z'), used('2026-03-02T12:00:00Z')]);
    await close('2026-03-03T00:10:00Z');
    await scene.record([used('2026-03-01T23:59:00Z'), used('2026-03-02T23:59:00Z')]);
    // Of both, only one is of the last three days by then.
    expect(await close('2026-03-05T00:10:00Z')).toEqual(['2026-03-02', '2026-03-03', '2026-03-04']);
    expect(await close('2026-03-05T01:10:00Z')).toEqual([]);
    const rows = [`2026-03-01 ${MODEL} 30`, `2026-03-02 ${MODEL} 60`];
    expect(await rowsAt('2026-03-05T01:00:00Z')).toEqual(rows);
  });

  test('repeats for a generation that arrived while it added up the day', async () => {
    await scene.record([used('2026-03-01T12:00:00Z')]);
    const closed = await held(
      'rankings_days',
      () => close('2026-03-02T00:10:00Z'),
      () => scene.record([used('2026-03-01T23:59:00Z')]),
    );
    expect(closed).toEqual(['2026-03-01']);
    await close('2026-03-02T01:10:00Z');
    expect(await rowsAt('2026-03-02T02:00:00Z')).toEqual([`2026-03-01 ${MODEL} 60`]);
  });

  test('precedes the drop of an open day, and does not delay a closed one', async () => {
    await scene.record([used('2026-03-01T12:00:00Z')]);
    await close('2026-03-04T00:10:00Z');
    await scene.record([used('2026-03-08T12:00:00Z')]);
    const { url, logger } = scene.close;
    const keep = () =>
      keepPartitions({ url, logger, retentionMs: 10 * 86_400_000 }, new Date('2026-03-20T01:00:00Z'));
    const report = await held('rankings_days', keep, async () => {
      const { rows } = await scene.database.query(
        `select relname from pg_class where relname ~ '^generations_2026030[18]$'`,
      );
      expect(rows).toEqual([{ relname: 'generations_20260308' }]);
    });
    expect(report).toEqual({ dropped: 2, busy: 0 });
  });

  test('keeps the generations of a day that cannot be closed until it can', async () => {
    await scene.record(['2026-03-01', '2026-03-02', '2026-03-05'].map((day) => used(`${day}T12:00:00Z`)));
    await scene.database.query(
      `alter table rankings_models add constraint in_the_way check (day <> date '2026-03-02')`,
    );
    const now = new Date('2026-03-20T01:00:00Z');
    const { url, logger } = scene.close;
    const keep = () => keepPartitions({ url, logger, retentionMs: 10 * 86_400_000 }, now);
    expect(await closeNextDay(scene.close, now)).toEqual({ day: '2026-03-01', more: true });
    await expect(closeNextDay(scene.close, now)).rejects.toThrow(
      'rankings of 2026-03-02 could not be added up',
    );
    expect(await closeNextDay(scene.close, now, '2026-03-02')).toEqual({ day: '2026-03-03', more: true });
    expect(await keep()).toEqual({ dropped: 1, busy: 2 });
    expect((await closedDays()).toSorted().slice(0, 3)).toEqual(['2026-03-01', '2026-03-03', '2026-03-04']);
    await scene.database.query('alter table rankings_models drop constraint in_the_way');
    expect(await keep()).toEqual({ dropped: 2, busy: 0 });
    const rows = ['01', '02', '05'].map((day) => `2026-03-${day} ${MODEL} 30`);
    expect(await rowsAt('2026-03-20T01:00:00Z')).toEqual(rows);
  });

  test('uses all generations of a day or none while they are dropped', async () => {
    await scene.record([used('2026-03-01T12:00:00Z')]);
    await close('2026-03-20T01:00:00Z');
    const now = new Date('2026-03-20T01:00:00Z');
    const { url, logger } = scene.close;
    const retentionMs = 10 * 86_400_000;
    let dropping: unknown;
    const kept = await held(
      'rankings_models',
      () => rebuildDays(scene.close, ['2026-03-01'], now),
      async () => {
        dropping = await keepPartitions({ url, logger, retentionMs }, now);
      },
    );
    expect([kept, dropping]).toEqual([[], { dropped: 0, busy: 1 }]);
    expect(await rowsAt('2026-03-20T01:00:00Z')).toEqual([`2026-03-01 ${MODEL} 30`]);
  });

  test('never closes a day that is not over', async () => {
    await scene.record([used('2026-03-01T12:00:00Z')]);
    expect(await rebuildDays(scene.close, ['2026-03-01'], new Date('2026-03-01T13:00:00Z'))).toEqual([]);
    expect(await closedDays()).toEqual([]);
  });
});
