import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFreePorts } from '../../dev/ports.ts';
import { createMetrics } from '../../platform/create-metrics.ts';
import { createLogger } from '../../platform/logger.ts';
import { listenForMetrics, type MetricsListener } from '../../platform/metrics-listener.ts';
import { addUp } from '../../platform/metrics-snapshot.ts';
import type { ProcessMetrics } from '../../platform/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { readScrape } from '../support/scrape.ts';

const logger = createLogger({ level: 'fatal', name: 'test' });
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A process that made so many cups, in so many seconds each, and holds so many. */
function createKitchen({
  cups,
  seconds,
  held,
}: {
  cups: number;
  seconds: number;
  held: number;
}): ProcessMetrics {
  const metrics = createMetrics(0);
  const made = metrics.counter({ name: 'sluice_cups_total', help: 'Cups.', labels: ['kind'] });
  const took = metrics.histogram({ name: 'sluice_cup_seconds', help: 'Time.', buckets: [1, 10] });
  for (let cup = 0; cup < cups; cup += 1) {
    made({ kind: 'tea' })();
    took({})(seconds);
  }
  for (const [name, aggregation] of [
    ['sluice_held', 'sum'],
    ['sluice_hottest', 'max'],
  ] as const)
    metrics.gauge({ name, help: 'A value.', aggregation, read: () => [{ labels: {}, value: held }] });
  return metrics;
}

describe('metrics', () => {
  test('add up over several processes as each series specifies', async () => {
    const kitchens = [
      createKitchen({ cups: 2, seconds: 0.5, held: 3 }),
      createKitchen({ cups: 3, seconds: 5, held: 4 }),
    ];
    const snapshots = await Promise.all(kitchens.map((kitchen) => kitchen.snapshot()));
    // As they come from another process.
    const sum = addUp(JSON.parse(JSON.stringify(snapshots)));
    const { value } = readScrape(await sum.text());
    expect(value('sluice_cups_total{kind="tea"}')).toBe(5);
    expect(value('sluice_cup_seconds_bucket{le="1"}')).toBe(2);
    expect(value('sluice_cup_seconds_bucket{le="10"}')).toBe(5);
    expect(value('sluice_cup_seconds_bucket{le="+Inf"}')).toBe(5);
    expect(value('sluice_cup_seconds_sum')).toBe(16);
    expect(value('sluice_held')).toBe(7);
    expect(value('sluice_hottest')).toBe(4);
    const started = Math.round(Date.now() / 1_000 - process.uptime());
    expect(Math.abs(value('process_start_time_seconds')! - started)).toBeLessThanOrEqual(1);
  });

  test('omit a series without labels that has no value, instead of showing zero', async () => {
    const metrics = createMetrics(0);
    const readings = [{ labels: {}, value: 5 }];
    metrics.gauge({ name: 'sluice_held', help: 'A value.', aggregation: 'sum', read: async () => readings });
    expect(readScrape(await metrics.text()).value('sluice_held')).toBe(5);
    readings.pop();
    expect(readScrape(await metrics.text()).value('sluice_held')).toBeUndefined();
  });

  test('show the delay of the event loop, not the interval of its sampling', async () => {
    const metrics = createMetrics(0);
    const delayOf = async (quantile: string): Promise<number> => {
      const { value } = readScrape(await metrics.text());
      return value(`sluice_event_loop_delay_seconds{quantile="${quantile}"}`)!;
    };
    // With nothing to do, timers are late by less than the time between two of them. Without any, there is no value
    // yet.
    await eventually('an idle loop', async () => {
      const seconds = await delayOf('0.5');
      return seconds > 1e-5 && seconds < 0.009 ? true : undefined;
    });
    // Asked in the very turn that was late, as a scrape is that waited for it.
    await eventually('a busy loop', async () => {
      setImmediate(() => {
        const until = performance.now() + 60;
        while (performance.now() < until);
      });
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return (await delayOf('1')) >= 0.05 ? true : undefined;
    });
  });

  test('stay empty without a port', async () => {
    const metrics = createMetrics(undefined);
    const count = metrics.counter({ name: 'sluice_cups_total', help: 'Cups.' });
    count({})();
    expect(await metrics.text()).toBe('');
    expect(await metrics.snapshot()).toEqual([]);
  });
});

describe('the metrics listener', () => {
  const listen = async (port: number | undefined, text = async () => 'up 1\n'): Promise<MetricsListener> => {
    const listener = await listenForMetrics({
      variable: 'METRICS_PORT',
      host: '127.0.0.1',
      port,
      text,
      logger,
    });
    closing.push(() => listener.close());
    return listener;
  };

  test('answers GET /metrics, and 404 to everything else', async () => {
    const [port = 0] = await findFreePorts(1);
    await listen(port);
    const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
    const answer = await ask('/metrics?name=up');
    expect([answer.status, await answer.text()]).toEqual([200, 'up 1\n']);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect((await ask('/')).status).toBe(404);
    expect((await ask('/metrics/')).status).toBe(404);
    expect((await ask('/metrics', 'POST')).status).toBe(404);
  });

  test('answers 500 without the cause when a value cannot be read', async () => {
    const [port = 0] = await findFreePorts(1);
    await listen(port, () => Promise.reject(new Error('a secret')));
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
  });

  test('names the variable when its port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => other.close(resolve)));
    const { port } = other.address() as AddressInfo;
    await expect(listen(port)).rejects.toThrow(
      `METRICS_PORT is ${port}, but nothing can listen on 127.0.0.1:${port}: another process listens there`,
    );
  });

  test('closes without waiting for a scrape', async () => {
    const [port = 0] = await findFreePorts(1);
    const asked = Promise.withResolvers<void>();
    const listener = await listen(port, () => {
      asked.resolve();
      return new Promise(() => {});
    });
    const answer = fetch(`http://127.0.0.1:${port}/metrics`).catch(() => 'cut off');
    await asked.promise;
    await listener.close();
    expect(await answer).toBe('cut off');
  });

  test('starts without a port, listening on none', async () => {
    await expect(listen(undefined)).resolves.toBeDefined();
  });
});
