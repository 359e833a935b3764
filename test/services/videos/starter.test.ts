import { describe, expect, test } from '@jest/globals';
import { createLogger } from '../../../platform/logger.ts';
import { createJobStarter } from '../../../services/videos/starter.ts';

/** A starter whose starts wait until they are let go, in a world that only takes notes. */
function setUp({ concurrency = 2, writable = resolved() } = {}) {
  const notes = {
    started: [] as string[],
    dispatched: [] as string[],
    writes: 0,
    underWay: 0,
    mostUnderWay: 0,
    swept: [] as string[],
    nowMs: 1_000_000,
  };
  const waiting: { id: string; settle: PromiseWithResolvers<void> }[] = [];
  const starter = createJobStarter({
    runs: {
      async startVideo({ id }) {
        notes.started.push(id);
        notes.underWay += 1;
        notes.mostUnderWay = Math.max(notes.mostUnderWay, notes.underWay);
        const settle = Promise.withResolvers<void>();
        waiting.push({ id, settle });
        await settle.promise.finally(() => (notes.underWay -= 1));
      },
    },
    store: {
      async markDispatched(ids) {
        notes.writes += 1;
        await writable.promise;
        notes.dispatched.push(...ids);
      },
      isUndispatched: async (id) => !notes.swept.includes(id),
    },
    pace: { take: async (organizationIds) => organizationIds()[0] },
    sweptAfterMs: 15_000,
    now: () => notes.nowMs,
    logger: createLogger({ level: 'fatal', name: 'test' }),
    concurrency,
  });
  return { starter, notes, waiting };
}

function resolved(): PromiseWithResolvers<void> {
  const promise = Promise.withResolvers<void>();
  promise.resolve();
  return promise;
}

function job(id: string, organizationId = 'o') {
  return { id, organizationId, workspaceId: 'w', model: 'm', provider: 'p' };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('the starter of accepted jobs', () => {
  test('starts jobs in order up to its concurrency', async () => {
    const { starter, notes, waiting } = setUp({ concurrency: 3 });
    const ids = Array.from({ length: 10 }, (_, n) => `job-${n}`);
    for (const id of ids) starter.enqueue(job(id));
    for (let next = 0; next < ids.length; next += 1) {
      await settled();
      expect(notes.started).toEqual(ids.slice(0, next + 3));
      waiting[next]!.settle.resolve();
    }
    await starter.drain();
    expect(notes.dispatched).toEqual(ids);
    expect(notes.mostUnderWay).toBe(3);
  });

  test('records a job as dispatched only after its start', async () => {
    const { starter, notes, waiting } = setUp();
    starter.enqueue(job('a'));
    await settled();
    expect(notes).toMatchObject({ started: ['a'], dispatched: [] });
    waiting[0]!.settle.resolve();
    await starter.drain();
    expect(notes.dispatched).toEqual(['a']);
  });

  test('records all jobs that started during a write in one next write', async () => {
    const writable = Promise.withResolvers<void>();
    const { starter, notes, waiting } = setUp({ concurrency: 5, writable });
    for (const id of ['a', 'b', 'c', 'd', 'e']) starter.enqueue(job(id));
    await settled();
    for (const { settle } of waiting) {
      settle.resolve();
      await settled();
    }
    expect(notes.writes).toBe(1);
    writable.resolve();
    await starter.drain();
    expect(notes).toMatchObject({ writes: 2, dispatched: ['a', 'b', 'c', 'd', 'e'] });
  });

  test('leaves a failed start to the sweep and continues with the next job', async () => {
    const { starter, notes, waiting } = setUp({ concurrency: 1 });
    starter.enqueue(job('a'));
    starter.enqueue(job('b'));
    await settled();
    waiting[0]!.settle.reject(new Error('Temporal is away'));
    await settled();
    waiting[1]!.settle.resolve();
    await starter.drain();
    expect(notes).toMatchObject({ started: ['a', 'b'], dispatched: ['b'] });
  });

  test('queues five thousand jobs of one organization and leaves the rest to the sweep', async () => {
    const { starter, notes, waiting } = setUp({ concurrency: 1 });
    for (let n = 0; n < 5_500; n += 1) starter.enqueue(job(`job-${n}`));
    starter.enqueue(job('of-another', 'another'));
    for (let next = 0; next < 5_001; next += 1) {
      while (waiting.length <= next) await new Promise((resolve) => setImmediate(resolve));
      waiting[next]!.settle.resolve();
    }
    await starter.drain();
    expect(notes.started).toHaveLength(5_001);
    expect(notes.started).toContain('of-another');
  });

  test('alternates between the jobs of organizations', async () => {
    const { starter, notes, waiting } = setUp({ concurrency: 1 });
    for (const id of ['a1', 'a2', 'a3', 'a4']) starter.enqueue(job(id, 'a'));
    await settled();
    for (const id of ['b1', 'b2']) starter.enqueue(job(id, 'b'));
    starter.enqueue(job('c1', 'c'));
    for (let next = 0; next < 7; next += 1) {
      waiting[next]!.settle.resolve();
      await settled();
    }
    await starter.drain();
    expect(notes.started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('drains starts in flight and leaves queued jobs to the sweep', async () => {
    const { starter, notes, waiting } = setUp({ concurrency: 1 });
    starter.enqueue(job('a'));
    starter.enqueue(job('b'));
    await settled();
    const drained = starter.drain();
    starter.enqueue(job('c'));
    waiting[0]!.settle.resolve();
    await drained;
    expect(notes).toMatchObject({ started: ['a'], dispatched: ['a'] });
  });

  test('skips a queued job that the sweep has started', async () => {
    const { starter, notes, waiting } = setUp({ concurrency: 1 });
    for (const id of ['a', 'b', 'c']) starter.enqueue(job(id));
    await settled();
    notes.nowMs += 16_000;
    notes.swept = ['b'];
    waiting[0]!.settle.resolve();
    await settled();
    waiting[1]!.settle.resolve();
    await starter.drain();
    expect(notes.started).toEqual(['a', 'c']);
  });
});
