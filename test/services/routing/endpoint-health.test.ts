import { describe, expect, test } from '@jest/globals';
import { createEndpointHealth } from '../../../services/routing/endpoint-health.ts';

function board() {
  const clock = { nowMs: 1_000_000 };
  const opened: [circuitId: string, forMs: number][] = [];
  const onOpen = (...opening: (typeof opened)[number]) => void opened.push(opening);
  const health = createEndpointHealth({ now: () => clock.nowMs, onOpen });
  const record = (ok: boolean, times: number) => {
    for (let n = 0; n < times; n += 1) health.record('e', { ok });
  };
  const isOpen = () => health.of('e')?.open === true;
  return { clock, health, record, isOpen, opened };
}

describe('a circuit', () => {
  test('stays closed until enough calls were made to judge', () => {
    const { record, isOpen } = board();
    record(false, 9);
    expect(isOpen()).toBe(false);
    record(false, 1);
    expect(isOpen()).toBe(true);
  });

  test('stays closed while most calls succeed', () => {
    const { record, isOpen } = board();
    record(true, 60);
    record(false, 40);
    expect(isOpen()).toBe(false);
  });

  test('closes after its rest and opens again at the first failure', () => {
    const { clock, record, isOpen } = board();
    record(false, 10);
    clock.nowMs += 30_000;
    expect(isOpen()).toBe(false);
    record(false, 1);
    expect(isOpen()).toBe(true);
  });

  test('reports each opening, and no call while it is open', () => {
    const { clock, record, opened } = board();
    record(false, 9);
    expect(opened).toEqual([]);
    record(false, 3);
    expect(opened).toEqual([['e', 30_000]]);
    clock.nowMs += 30_000;
    record(false, 1);
    expect(opened).toEqual([
      ['e', 30_000],
      ['e', 30_000],
    ]);
  });

  test('needs a full set of failures again once a call succeeded', () => {
    const { clock, record, isOpen } = board();
    record(false, 10);
    clock.nowMs += 30_000;
    record(true, 1);
    record(false, 5);
    expect(isOpen()).toBe(false);
  });

  test('forgets failures older than 30 seconds', () => {
    const { clock, record, isOpen } = board();
    record(false, 9);
    clock.nowMs += 30_000;
    record(false, 9);
    expect(isOpen()).toBe(false);
  });
});

describe('an endpoint without calls for five minutes', () => {
  test('loses its old measurements', () => {
    const { clock, health } = board();
    for (let n = 0; n < 50; n += 1) health.record('e', { ok: true, latencyMs: 9_000, throughput: 1 });
    expect(health.of('e')?.latencySeconds?.p50).toBe(9);
    clock.nowMs += 300_000;
    expect(health.of('e')).toEqual({ open: false, latencySeconds: null, throughput: null });
    for (let n = 0; n < 5; n += 1) health.record('e', { ok: true, latencyMs: 1_000 });
    expect(health.of('e')?.latencySeconds?.p99).toBe(1);
  });

  test('stays available after its first failure, though its circuit was open before', () => {
    const { clock, record, isOpen } = board();
    record(false, 10);
    clock.nowMs += 300_000;
    record(false, 1);
    expect(isOpen()).toBe(false);
  });
});

describe('the trial of an unmeasured endpoint', () => {
  test('takes one request in twenty', () => {
    const { health } = board();
    const turns = Array.from({ length: 60 }, () => health.isTrial());
    expect(turns.filter(Boolean)).toHaveLength(3);
    expect(turns.slice(0, 20).filter(Boolean)).toHaveLength(1);
  });
});

describe('the measurements of an endpoint', () => {
  test('stay null until there are enough', () => {
    const { health } = board();
    for (let n = 1; n <= 4; n += 1) health.record('e', { ok: true, latencyMs: 100 });
    expect(health.of('e')?.latencySeconds).toBeNull();
    expect(health.of('other')).toBeUndefined();
  });

  test('become percentiles of the last 200 calls', () => {
    const { health } = board();
    for (let n = 0; n < 500; n += 1) health.record('e', { ok: true, latencyMs: 9_000 });
    for (let n = 1; n <= 200; n += 1) health.record('e', { ok: true, latencyMs: n * 10, throughput: n });
    const { latencySeconds, throughput } = health.of('e')!;
    expect(latencySeconds?.p50).toBeCloseTo(1.01, 1);
    expect(throughput?.p99).toBeGreaterThan(190);
  });
});
