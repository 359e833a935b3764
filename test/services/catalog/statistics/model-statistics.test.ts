import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeGeneration } from '../../../support/make-generation.ts';
import {
  MINUTE_MS,
  type ModelStatisticsScene,
  NOW_MS,
  openModelStatisticsScene,
  type SceneStatistics,
} from '../../../support/model-statistics-scene.ts';

let scene: ModelStatisticsScene;
beforeAll(async () => {
  scene = await openModelStatisticsScene();
});
afterAll(() => scene.close());

async function statistics(): Promise<SceneStatistics> {
  const fresh = await scene.statisticsAt(() => NOW_MS);
  await fresh.refresh();
  return fresh;
}

describe('the performance of an endpoint', () => {
  test('covers the completed generations it ended in the last half hour', async () => {
    const model = scene.newModel();
    const [first, second] = model.endpoints;
    const facts = { model: model.canonicalSlug, provider: 'first', usage: { prompt: 1, completion: 100 } };
    for (const latencyMs of [100, 200, 300]) {
      await scene.record(MINUTE_MS, { ...facts, latencyMs, generationMs: 2_000 }, [
        [second!.id, 'timeout'],
        [first.id],
      ]);
    }
    await scene.record(MINUTE_MS, { ...facts, status: 'failed', latencyMs: 9_000 }, [[first.id]]);
    await scene.record(31 * MINUTE_MS, { ...facts, latencyMs: 9_000 }, [[first.id]]);
    const known = await statistics();
    expect(known.performanceOf(model, first)).toMatchObject({
      latencyMs: { p50: 200, p75: 250, p90: 280, p99: 298 },
      throughput: { p50: 50, p75: 50, p90: 50, p99: 50 },
    });
    expect(known.performanceOf(model, second!)).toMatchObject({ latencyMs: null, throughput: null });
  });

  test('leaves out calls with keys of customers', async () => {
    const model = scene.newModel();
    const [first, second] = model.endpoints;
    const facts = { model: model.canonicalSlug, provider: 'first', latencyMs: 100 };
    await scene.record(MINUTE_MS, facts, [[second!.id, 'unauthorized', true], [first.id]]);
    await scene.record(MINUTE_MS, { ...facts, isByok: true, latencyMs: 9_000 }, [
      [first.id, undefined, true],
    ]);
    await scene.record(MINUTE_MS, { ...facts, isByok: true, status: 'failed' }, [
      [first.id, 'server_error', true],
    ]);
    const known = await statistics();
    expect(known.performanceOf(model, first)).toMatchObject({
      latencyMs: { p50: 100, p99: 100 },
      uptime5m: 100,
    });
    expect(known.performanceOf(model, second!)).toMatchObject({ uptime5m: null });
  });

  test('counts every attempt, and those before another endpoint answered', async () => {
    const model = scene.newModel();
    const [first, second] = model.endpoints;
    // The ledger's row has the provider of whoever answered last.
    const [byFirst, bySecond] = ['first', 'second'].map((provider) => ({
      model: model.canonicalSlug,
      provider,
    }));
    await scene.record(MINUTE_MS, bySecond!, [[first.id, 'server_error'], [second!.id]]);
    await scene.record(10 * MINUTE_MS, byFirst!, [[first.id]]);
    await scene.record(10 * MINUTE_MS, byFirst!, [[first.id]]);
    // Broken off in the middle.
    await scene.record(10 * MINUTE_MS, { ...byFirst!, status: 'failed' }, [[first.id]]);
    await scene.record(5 * 60 * MINUTE_MS, bySecond!, [[first.id, 'timeout'], [second!.id]]);
    await scene.record(25 * 60 * MINUTE_MS, bySecond!, [[first.id, 'timeout'], [second!.id]]);
    const known = await statistics();
    expect(known.performanceOf(model, first)).toMatchObject({ uptime5m: 0, uptime30m: 50, uptime1d: 40 });
    expect(known.performanceOf(model, second!)).toMatchObject({
      uptime5m: 100,
      uptime30m: 100,
      uptime1d: 100,
    });
  });

  test.each(['rate_limited', 'invalid_request', 'content_policy', 'aborted'])(
    'leaves out calls that ended in %s',
    async (error) => {
      const model = scene.newModel();
      const [first] = model.endpoints;
      await scene.record(MINUTE_MS, { model: model.canonicalSlug, status: 'failed' }, [[first.id, error]]);
      expect((await statistics()).performanceOf(model, first)).toMatchObject({
        uptime5m: null,
        uptime1d: null,
      });
    },
  );

  test('comes from its jobs when it makes videos', async () => {
    const listed = scene.newModel();
    const video = { ...listed.endpoints[0], capability: 'video' as const };
    const model = { ...listed, endpoints: [video] satisfies [typeof video] };
    const job = { model: model.canonicalSlug, provider: 'first', apiType: 'video' as const };
    const details = {
      ...makeGeneration().details,
      providerResponses: [
        { n: 1, provider: 'first', state: 'refused' },
        { n: 2, provider: 'first', state: 'accepted' },
      ],
    };
    for (const status of ['completed', 'completed', 'completed', 'expired', 'cancelled'] as const) {
      await scene.record(MINUTE_MS, { ...job, status, details });
    }
    expect((await statistics()).performanceOf(model, video)).toMatchObject({ uptime5m: 75, uptime1d: 75 });
  });

  test('covers a whole hour that was first read in the middle', async () => {
    const model = scene.newModel();
    const [first] = model.endpoints;
    const facts = { model: model.canonicalSlug, provider: 'first' };
    await scene.record(MINUTE_MS, facts, [[first.id]]);
    let nowMs = NOW_MS;
    const known = await scene.statisticsAt(() => nowMs);
    await known.refresh();
    await scene.record(-10 * MINUTE_MS, facts, [[first.id, 'timeout']]);
    nowMs += 3 * 60 * MINUTE_MS;
    await known.refresh();
    expect(known.performanceOf(model, first).uptime1d).toBe(50);
  });

  test('becomes unknown when it was not read for ten minutes', async () => {
    const model = scene.newModel();
    const [first] = model.endpoints;
    await scene.record(MINUTE_MS, { model: model.canonicalSlug, provider: 'first' }, [[first.id]]);
    let nowMs = NOW_MS;
    const known = await scene.statisticsAt(() => nowMs);
    expect(known.performanceOf(model, first).uptime30m).toBeNull();
    await known.refresh();
    expect(known.performanceOf(model, first).uptime30m).toBe(100);
    nowMs += 11 * MINUTE_MS;
    expect(known.performanceOf(model, first)).toMatchObject({ uptime30m: null, uptime1d: null });
  });
});

describe('the popularity of a model', () => {
  const DAY_MS = 24 * 60 * MINUTE_MS;

  test('counts requests of thirty days and tokens of seven over all workspaces', async () => {
    const model = scene.newModel();
    const facts = { model: model.canonicalSlug, usage: { prompt: 10, completion: 5 } };
    for (const days of [0, 6, 7, 29, 30]) await scene.record(days * DAY_MS, facts);
    await scene.record(0, { ...facts, isByok: true });
    expect((await statistics()).popularityOf(model)).toEqual({ requests: 4, weeklyTokens: 30 });
  });

  test('grows with later records and loses the days that pass', async () => {
    const model = scene.newModel();
    const facts = { model: model.canonicalSlug, usage: { prompt: 10, completion: 5 } };
    for (const days of [0, 1, 29]) await scene.record(days * DAY_MS, facts);
    let nowMs = NOW_MS;
    const known = await scene.statisticsAt(() => nowMs);
    await known.refresh();
    expect(known.popularityOf(model)).toEqual({ requests: 3, weeklyTokens: 30 });
    await scene.record(-DAY_MS, facts);
    await scene.record(DAY_MS, facts);
    nowMs += DAY_MS;
    await known.refresh();
    expect(known.popularityOf(model)).toEqual({ requests: 4, weeklyTokens: 60 });
    nowMs += 40 * DAY_MS;
    await known.refresh();
    expect(known.popularityOf(model)).toEqual({ requests: 0, weeklyTokens: 0 });
  });

  test('has zeros for an unused model', async () => {
    expect((await statistics()).popularityOf(scene.newModel())).toEqual({ requests: 0, weeklyTokens: 0 });
  });
});
