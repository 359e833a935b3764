import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  MINUTE_MS,
  type ModelStatisticsScene,
  NOW_MS,
  openModelStatisticsScene,
} from '../../../support/model-statistics-scene.ts';

let scene: ModelStatisticsScene;
beforeAll(async () => {
  scene = await openModelStatisticsScene();
});
afterAll(() => scene.close());

describe('a ledger that cannot be read', () => {
  const away = () => Promise.reject(new Error('away'));

  test('leaves the earlier statistics in place', async () => {
    const model = scene.newModel();
    await scene.record(MINUTE_MS, { model: model.canonicalSlug });
    let isAway = false;
    const known = await scene.statisticsAt(() => NOW_MS, {
      modelUseOn: (day) => (isAway ? away() : scene.ledger.modelUseOn(day)),
    });
    await known.refresh();
    isAway = true;
    await expect(known.refresh()).rejects.toThrow('the ledger was not read');
    expect(known.popularityOf(model).requests).toBe(1);
  });

  test('leaves the statistics of the hours that were read', async () => {
    const model = scene.newModel();
    const [first] = model.endpoints;
    await scene.record(MINUTE_MS, { model: model.canonicalSlug, provider: 'first' }, [[first.id]]);
    await scene.record(61 * MINUTE_MS, { model: model.canonicalSlug, provider: 'first' }, [
      [first.id, 'timeout'],
    ]);
    const { attemptsBetween } = scene.ledger;
    const early = NOW_MS - 2 * 60 * MINUTE_MS;
    const known = await scene.statisticsAt(() => NOW_MS, {
      modelUseOn: away,
      attemptsBetween: (since, until) => (since.getTime() < early ? away() : attemptsBetween(since, until)),
    });
    await expect(known.refresh()).rejects.toThrow('the ledger was not read');
    expect(known.performanceOf(model, first)).toMatchObject({
      latencyMs: { p50: 120 },
      uptime30m: 100,
      uptime1d: 50,
    });
  });
});

describe('the reading of a slow ledger', () => {
  const none = () => Promise.resolve([]);
  const tooSlow = () => Promise.reject(Object.assign(new Error('statement timeout'), { code: '57014' }));
  const row = { endpointId: 'e', model: 'm', provider: 'p', apiType: 'completions' as const };

  test('takes one minute a statement and continues with older hours in later turns', async () => {
    let nowMs = NOW_MS;
    const read: [minutesAgo: number, minutes: number][] = [];
    const known = await scene.statisticsAt(() => nowMs, {
      speedsSince: none,
      modelUseOn: none,
      attemptsBetween(since, until) {
        nowMs += 50;
        const ago = Math.round((NOW_MS - since.getTime()) / MINUTE_MS);
        const minutes = (until.getTime() - since.getTime()) / MINUTE_MS;
        read.push([ago, minutes]);
        return Promise.resolve([{ ...row, answered: minutes * 60_000, failed: 0 }]);
      },
    });
    await known.refresh();
    expect(read.every(([, minutes]) => minutes === 1)).toBe(true);
    // The last half hour, this hour and one before: each takes three seconds.
    expect(read.map(([ago]) => ago).slice(30)).toEqual(
      Array.from({ length: 120 }, (_, n) => (n < 60 ? 31 : 151) - n),
    );
    read.length = 0;
    await known.refresh();
    const second = read.slice(30).map(([ago]) => ago);
    expect([second[0], second.length]).toEqual([151, 120]);
    nowMs += 60 * MINUTE_MS;
    read.length = 0;
    await known.refresh();
    expect(read.slice(30, 32).map(([ago]) => ago)).toEqual([-29, -30]);
  });

  test('covers 24 hours after 16 turns, though the current hour is read again', async () => {
    let nowMs = NOW_MS;
    const hours = new Set<number>();
    const known = await scene.statisticsAt(() => nowMs, {
      speedsSince: none,
      modelUseOn: none,
      attemptsBetween(since) {
        nowMs += 50;
        hours.add(Math.floor(since.getTime() / (60 * MINUTE_MS)));
        return Promise.resolve([]);
      },
    });
    for (let turn = 0; turn < 16; turn += 1) {
      const startedAtMs = nowMs;
      await known.refresh();
      nowMs += (nowMs - startedAtMs) * 20;
    }
    expect(hours.size).toBeGreaterThanOrEqual(24);
  });

  test('makes more statements the more calls a minute has', async () => {
    const statementsOf = async (callsAMinute: number): Promise<number> => {
      let statements = 0;
      const known = await scene.statisticsAt(() => NOW_MS, {
        speedsSince: none,
        modelUseOn: none,
        attemptsBetween(since, until) {
          statements += 1;
          const answered = ((until.getTime() - since.getTime()) / MINUTE_MS) * callsAMinute;
          return Promise.resolve([{ ...row, answered, failed: 0 }]);
        },
      });
      await known.refresh();
      return statements;
    };
    // A day of 1440 minutes, and half an hour of them once more.
    expect(await statementsOf(0)).toBeLessThan(160);
    expect(await statementsOf(60_000)).toBe(1_470);
    expect(await statementsOf(240_000)).toBeGreaterThan(1_470 * 2);
  });

  test('halves the time span of its statements after a statement timeout', async () => {
    const read: number[] = [];
    const known = await scene.statisticsAt(() => NOW_MS, {
      speedsSince: none,
      modelUseOn: none,
      attemptsBetween(since, until) {
        const seconds = (until.getTime() - since.getTime()) / 1_000;
        read.push(seconds);
        return seconds > 15 ? tooSlow() : Promise.resolve([{ ...row, answered: 60_000, failed: 0 }]);
      },
    });
    await known.refresh();
    expect(read.slice(0, 4)).toEqual([60, 30, 15, 15]);
  });

  test('skips an hour that times out even in the shortest piece, and reads the others', async () => {
    const model = scene.newModel();
    const [first] = model.endpoints;
    const facts = { model: model.canonicalSlug, provider: 'first' };
    await scene.record(MINUTE_MS, facts, [[first.id]]);
    await scene.record(5 * 60 * MINUTE_MS, facts, [[first.id, 'timeout']]);
    await scene.record(9 * 60 * MINUTE_MS, facts, [[first.id, 'timeout']]);
    let nowMs = NOW_MS;
    const hourOf = (ms: number): number => Math.floor(ms / (60 * MINUTE_MS));
    const slowHour = hourOf(NOW_MS - 5 * 60 * MINUTE_MS);
    let tries = 0;
    const { attemptsBetween } = scene.ledger;
    const known = await scene.statisticsAt(() => nowMs, {
      attemptsBetween(since, until) {
        if (hourOf(since.getTime()) !== slowHour) return attemptsBetween(since, until);
        nowMs += 1_000;
        tries += 1;
        return tooSlow();
      },
    });
    for (let turn = 0; turn < 3; turn += 1) await known.refresh().catch(() => undefined);
    expect(known.performanceOf(model, first)).toMatchObject({ uptime30m: 100, uptime1d: 50 });
    // From a minute down to a second, once: the hour waits for its next turn as long as any that takes so long.
    expect(tries).toBe(7);
  });

  test('stays valid for three times the pause between two reads', async () => {
    const model = scene.newModel();
    const [first] = model.endpoints;
    await scene.record(MINUTE_MS, { model: model.canonicalSlug, provider: 'first' }, [[first.id]]);
    let nowMs = NOW_MS;
    const { speedsSince } = scene.ledger;
    const known = await scene.statisticsAt(() => nowMs, {
      speedsSince(since, oneIn) {
        // Twenty minutes of pause.
        nowMs += MINUTE_MS;
        return speedsSince(since, oneIn);
      },
    });
    await known.refresh();
    nowMs = NOW_MS + 59 * MINUTE_MS;
    expect(known.performanceOf(model, first).uptime30m).toBe(100);
    nowMs = NOW_MS + 61 * MINUTE_MS;
    expect(known.performanceOf(model, first).uptime30m).toBeNull();
  });

  test('samples the calls for percentiles when there are many', async () => {
    const asked: number[] = [];
    const known = await scene.statisticsAt(() => NOW_MS, {
      attemptsBetween: () => Promise.resolve([{ ...row, answered: 90_000, failed: 10_000 }]),
      speedsSince(_since, oneIn) {
        asked.push(oneIn);
        return none();
      },
      modelUseOn: none,
    });
    await known.refresh();
    expect(asked).toEqual([15]);
    const model = scene.newModel();
    await scene.record(MINUTE_MS, { model: model.canonicalSlug });
    const { speedsSince } = scene.ledger;
    const since = new Date(NOW_MS - 2 * MINUTE_MS);
    const modelsOf = async (oneIn: number) => (await speedsSince(since, oneIn)).map((speed) => speed.model);
    expect(await modelsOf(1)).toContain(model.canonicalSlug);
    expect(await modelsOf(2_147_483_647)).toEqual([]);
  });
});

describe('the table of statistics', () => {
  test('serves an API process that starts after the worker has stopped', async () => {
    const model = scene.newModel();
    const [first] = model.endpoints;
    await scene.record(MINUTE_MS, { model: model.canonicalSlug, provider: 'first' }, [[first.id]]);
    await (await scene.statisticsAt(() => NOW_MS)).refresh();
    const later = scene.reader(() => NOW_MS);
    await later.refresh();
    expect(later.performanceOf(model, first)).toMatchObject({ uptime5m: 100, uptime1d: 100 });
    expect(later.popularityOf(model).requests).toBe(1);
  });

  test('spares a later worker the hours that were read already', async () => {
    await (await scene.statisticsAt(() => NOW_MS)).refresh();
    const hours = new Set<number>();
    const later = scene.filler(() => NOW_MS, {
      attemptsBetween(since) {
        hours.add(Math.floor(since.getTime() / (60 * MINUTE_MS)));
        return Promise.resolve([]);
      },
    });
    await later.fillPast(new AbortController().signal);
    // This hour, and the one before, of which something may still be recorded.
    expect(hours.size).toBe(2);
  });

  test('keeps the newest read when a slower worker writes an older one', async () => {
    const day = { part: 'day' as const, startsAt: new Date(NOW_MS), tookMs: 1 };
    const use = (requests: number) => [{ model: 'm', requests, tokens: 0 }];
    await scene.store.write({ ...day, readAt: new Date(NOW_MS), value: use(2) });
    await scene.store.write({ ...day, readAt: new Date(NOW_MS - 1), value: use(1) });
    const written = await scene.store.writtenSince(null);
    expect(written.find(({ startsAt }) => startsAt.getTime() === NOW_MS)?.value).toEqual(use(2));
  });

  test('holds 24 hours and 30 days, and none that are past', async () => {
    let nowMs = NOW_MS;
    const known = await scene.statisticsAt(() => nowMs);
    await known.refresh();
    nowMs += 40 * 24 * 60 * MINUTE_MS;
    await known.refresh();
    const parts = (await scene.store.writtenSince(null)).map(({ part }) => part);
    expect(['recent', 'hour', 'day'].map((part) => parts.filter((each) => each === part).length)).toEqual([
      1, 24, 30,
    ]);
  });

  test('receives no further reads once the worker stops', async () => {
    const stop = new AbortController();
    let statements = 0;
    await scene.statisticsAt(() => NOW_MS);
    const filler = scene.filler(() => NOW_MS, {
      attemptsBetween() {
        statements += 1;
        stop.abort();
        return Promise.resolve([]);
      },
    });
    await expect(filler.fillRecent(stop.signal)).rejects.toThrow('aborted');
    expect(statements).toBe(1);
  });
});
