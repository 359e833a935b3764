import { describe, expect, test } from '@jest/globals';
import { createEndpointHealth } from '../../../services/routing/endpoint-health.ts';

function board() {
  const clock = { nowMs: 1_000_000 };
  const health = createEndpointHealth({ now: () => clock.nowMs });
  const record = (ok: boolean, times: number) => {
    for (let n = 0; n < times; n += 1) health.record('e', { ok });
  };
  const isOpen = () => health.of('e')?.open === true;
  return { clock, health, record, isOpen };
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

  test('closes after its rest, and opens again at the first failure after it', () => {
    const { clock, record, isOpen } = board();
    record(false, 10);
    clock.nowMs += 30_000;
    expect(isOpen()).toBe(false);
    record(false, 1);
    expect(isOpen()).toBe(true);
  });

  test('is as good as new once a call succeeded', () => {
    const { clock, record, isOpen } = board();
    record(false, 10);
    clock.nowMs += 30_000;
    record(true, 1);
    record(false, 5);
    expect(isOpen()).toBe(false);
  });

  test('forgets old trouble', () => {
    const { clock, record, isOpen } = board();
    record(false, 9);
    clock.nowMs += 30_000;
    record(false, 9);
    expect(isOpen()).toBe(false);
  });
});

describe('an endpoint that nobody asked for a while', () => {
  test('starts clean: its measurements say nothing any more', () => {
    const { clock, health } = board();
    for (let n = 0; n < 50; n += 1) health.record('e', { ok: true, latencyMs: 9_000, throughput: 1 });
    expect(health.of('e')?.latencySeconds?.p50).toBe(9);
    clock.nowMs += 300_000;
    expect(health.of('e')).toEqual({ open: false, latencySeconds: null, throughput: null });
    for (let n = 0; n < 5; n += 1) health.record('e', { ok: true, latencyMs: 1_000 });
    expect(health.of('e')?.latencySeconds?.p99).toBe(1);
  });

  test('is not shut out by its first failure, though its circuit was open long ago', () => {
    const { clock, record, isOpen } = board();
    record(false, 10);
    clock.nowMs += 300_000;
    record(false, 1);
    expect(isOpen()).toBe(false);
  });
});

describe('a trial of what was not measured', () => {
  test('is one request in twenty', () => {
    const { health } = board();
    const turns = Array.from({ length: 60 }, () => health.isTrial());
    expect(turns.filter(Boolean)).toHaveLength(3);
    expect(turns.slice(0, 20).filter(Boolean)).toHaveLength(1);
  });
});

describe('what was measured', () => {
  test('says nothing before there is enough of it', () => {
    const { health } = board();
    for (let n = 1; n <= 4; n += 1) health.record('e', { ok: true, latencyMs: 100 });
    expect(health.of('e')?.latencySeconds).toBeNull();
    expect(health.of('other')).toBeUndefined();
  });

  test('is told as percentiles of the last calls', () => {
    const { health } = board();
    for (let n = 0; n < 500; n += 1) health.record('e', { ok: true, latencyMs: 9_000 });
    for (let n = 1; n <= 200; n += 1) health.record('e', { ok: true, latencyMs: n * 10, throughput: n });
    const { latencySeconds, throughput } = health.of('e')!;
    expect(latencySeconds?.p50).toBeCloseTo(1.01, 1);
    expect(throughput?.p99).toBeGreaterThan(190);
  });
});
