import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { readScrape, scrape } from '../support/scrape.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

let gateway: Gateway;
let workers: WorkerProcesses;
let port: number;
let temporalPort: number;

beforeAll(async () => {
  [port = 0, temporalPort = 0] = await findFreePorts(2);
  gateway = await startGateway();
  workers = createWorkerProcesses(gateway);
  await workers.start([], {
    WORKER_METRICS_PORT: String(port),
    TEMPORAL_METRICS_PORT: String(temporalPort),
  });
});
afterAll(async () => {
  await workers.close();
  await gateway.close();
});

describe('a worker with metrics', () => {
  test('shows the attempt of a video job, the pools and the open work', async () => {
    const { id } = await submit(gateway);
    expect((await ended(gateway, id)).status).toBe('completed');
    const { value } = await scrape(port);
    expect(value('sluice_upstream_attempts_total{provider="local",outcome="answered"}')).toBe(1);
    expect(value('sluice_jobs_open{status="pending"}')).toBeDefined();
    expect(value('sluice_postgres_read_failures_total')).toBe(0);
    for (const pool of ['primary', 'statistics'])
      expect(value(`sluice_pool_waiting{pool="${pool}"}`)).toBe(0);
    expect(value('sluice_event_loop_delay_seconds{quantile="1"}')).toBeDefined();
  });

  test('counts a submission that the provider refuses', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'create', status: 400 });
    const { id } = await submit(gateway);
    expect((await ended(gateway, id)).status).toBe('failed');
    const { value } = await scrape(port);
    expect(value('sluice_upstream_attempts_total{provider="local",outcome="refused"}')).toBe(1);
  });

  test("shows the SDK's own metrics under the names that dashboard and alerts use", async () => {
    const { types } = await eventually('metrics of the SDK', async () => {
      const text = await (await fetch(`http://127.0.0.1:${temporalPort}/metrics`)).text();
      return text.includes('temporal_worker_task_slots_available') ? readScrape(text) : undefined;
    });
    expect(types.get('temporal_activity_schedule_to_start_latency_seconds')).toBe('histogram');
    expect(types.get('temporal_workflow_task_schedule_to_start_latency_seconds')).toBe('histogram');
    expect(types.get('temporal_worker_task_slots_available')).toBe('gauge');
    expect(types.get('temporal_request_total')).toBe('counter');
  });
});

test.each(['WORKER_METRICS_PORT', 'TEMPORAL_METRICS_PORT'])(
  'a worker fails to start when %s is taken',
  async (variable) => {
    const others = createWorkerProcesses(gateway);
    const started = others.start([], { [variable]: String(port) });
    await expect(started).rejects.toThrow(new RegExp(`${variable}.*:${port}`));
  },
);
