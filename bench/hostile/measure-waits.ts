/**
 * Measures how long a tenant waits for its job, webhook, event and validation while another tenant has 2,000 jobs,
 * callbacks that never answer and 500 slow destinations.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { MeasuredGateway } from '../gateway-process.ts';
import { median, renderTable, spread } from '../table.ts';
import { openNoisyTenant } from './noisy-tenant.ts';
import { openWaitingTenant, type Waits, WORK } from './waiting-tenant.ts';

const JOBS = 2_000;
const DESTINATIONS = 500;
const QUIET_ROUNDS = 10;
const NOISY_ROUNDS = 20;
const MEMORY_BAR_MB = 100;
/** The time for which the worker may free memory after the burst. */
const CALM_MS = 120_000;
const LOOK_EVERY_MS = 1_000;

/** The product's own times, in place of those of the tests. */
export const WAITS_ENV = {
  JOB_POLL_FLOOR: '2s',
  JOB_POLL_CEILING: '30s',
  WEBHOOK_SCHEDULE_SECONDS: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
};

/** Runs the burst and returns a table. */
export async function measureWaits(gateway: MeasuredGateway): Promise<string> {
  const workerPid = gateway.startWorker({ bundled: true });
  const tenant = await openWaitingTenant(gateway);
  const noisy = await openNoisyTenant(gateway);
  const rounds = async (count: number, when: string): Promise<Waits[]> => {
    const waits: Waits[] = [];
    for (let n = 1; n <= count; n += 1) {
      waits.push(await tenant.measure());
      const open = await noisy.openJobs();
      process.stdout.write(`${when}, round ${n} of ${count}: ${shown(waits.at(-1)!)}; ${open} open jobs\n`);
    }
    return waits;
  };

  await tenant.measure();
  const quiet = await rounds(QUIET_ROUNDS, 'quiet');
  const atRestMb = memoryMbOf(workerPid);
  await noisy.makeDestinations(DESTINATIONS);
  await noisy.submitJobs(JOBS);
  const during = await rounds(NOISY_ROUNDS, 'noisy');
  const memory = await watchMemory(workerPid, noisy.openJobs);
  await noisy.deleteDestinations();
  const calm = await watchMemory(workerPid, async () => 0, CALM_MS);
  await tenant.close();
  noisy.close();
  return [
    tableOf(quiet, during),
    `worker: ${atRestMb.toFixed(0)} MB at rest, ${Math.max(memory.mostMb, calm.mostMb).toFixed(0)} MB at most, ` +
      `${(calm.lastMb - atRestMb).toFixed(0)} MB above rest two minutes after the burst; the bar is ${MEMORY_BAR_MB}`,
  ].join('\n\n');
}

function shown(waits: Waits): string {
  return WORK.map((work) => `${work} ${waits[work].toFixed(2)} s`).join(', ');
}

function tableOf(quiet: Waits[], during: Waits[]): string {
  const rows = WORK.map((work) => {
    const usual = median(quiet.map((waits) => waits[work]));
    const times = during.map((waits) => waits[work]);
    const bar = 5 * usual + 2;
    const verdict = Math.max(...times) <= bar ? 'ok' : 'ABOVE';
    return [work, usual.toFixed(2), ...spread(times, 2), `${bar.toFixed(1)} ${verdict}`];
  });
  return renderTable(['seconds', 'quiet, median', 'noisy, min', 'median', 'max', 'bar for max'], rows);
}

/** Watches the worker's memory until no job is open, and for this time. */
async function watchMemory(
  pid: number,
  openJobs: () => Promise<number>,
  forMs = 0,
): Promise<{ mostMb: number; lastMb: number }> {
  const endsAtMs = performance.now() + forMs;
  let mostMb = 0;
  while (performance.now() < endsAtMs || (await openJobs()) > 0) {
    mostMb = Math.max(mostMb, memoryMbOf(pid));
    await delay(LOOK_EVERY_MS);
  }
  return { mostMb, lastMb: memoryMbOf(pid) };
}

function memoryMbOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
