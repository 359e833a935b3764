/** Compares how many video jobs the product and a minimal reference complete in a second. */
import { ALL_QUEUES, type Gateway, startGateway } from '../../test/support/gateway.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { cpuByProgram } from '../cpu.ts';
import { median, renderTable, spread } from '../table.ts';
import { startReference } from './reference.ts';

/** The jobs of one round, all submitted at once, and the pairs of rounds. */
const [jobs = 200, rounds = 5] = process.argv.slice(2).map(Number);
const WARM_UP_JOBS = 50;

interface Round {
  jobsPerSecond: number;
  /** The processor time per job, in milliseconds, by program; empty if it cannot be read. */
  cpuMs: Record<string, number>;
}

const receiver = await startReceiver();
// The product paces its starts when workers lag behind. This benchmark overloads the workers on purpose, so the high
// threshold turns the pacing off.
const gateway = await startGateway({ worker: ALL_QUEUES, env: { JOB_SLOW_CLAIM: '1m' } });
const reference = await startReference(gateway, receiver.url);

const sides = {
  product: { submit: () => submitToProduct(gateway, receiver.url), rounds: [] as Round[] },
  reference: { submit: () => submitToReference(reference.url), rounds: [] as Round[] },
  'reference, eager start': { submit: () => submitToReference(reference.eagerUrl), rounds: [] as Round[] },
};
for (const side of Object.values(sides)) await measure(WARM_UP_JOBS, side.submit);
for (let round = 1; round <= rounds; round += 1) {
  // The second side of a round has warmer caches and larger tables, so the order alternates.
  const order = round % 2 === 1 ? Object.values(sides) : Object.values(sides).toReversed();
  for (const side of order) side.rounds.push(await measure(jobs, side.submit));
  process.stdout.write(`round ${round} of ${rounds} done\n`);
}
await reference.close();
await gateway.close();
await receiver.close();
process.stdout.write(report());

async function submitToProduct(product: Gateway, callbackUrl: string): Promise<void> {
  const body = { model: 'local/clip-canned', prompt: 'a benchmark', callback_url: callbackUrl };
  const answer = await product.call('POST', '/videos', { body });
  await answer.arrayBuffer();
  if (answer.status !== 202) throw new Error(`POST /videos answered ${answer.status}`);
}

async function submitToReference(url: string): Promise<void> {
  const body = JSON.stringify({ model: 'local/clip-canned', prompt: 'a benchmark' });
  await (await fetch(url, { method: 'POST', body })).arrayBuffer();
}

/** Submits the jobs and measures the time from the first request to the last webhook. */
async function measure(count: number, submit: () => Promise<void>): Promise<Round> {
  const before = receiver.received.length;
  const cpuBefore = cpuByProgram() ?? {};
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: count }, submit));
  await receiver.next(before + count);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const spent = Object.entries(cpuByProgram() ?? {}).map(([program, cpuMs]) => [
    program,
    (cpuMs - (cpuBefore[program] ?? 0)) / count,
  ]);
  return { jobsPerSecond: count / seconds, cpuMs: Object.fromEntries(spent) };
}

function report(): string {
  const { product, reference: bare, 'reference, eager start': eager } = sides;
  const ratios = product.rounds.map((round, i) => round.jobsPerSecond / bare.rounds[i]!.jobsPerSecond);
  const rates = renderTable(
    ['', 'min', 'median', 'max'],
    [
      ['product, jobs/s', ...spread(product.rounds.map(rate), 1)],
      ['reference, jobs/s', ...spread(bare.rounds.map(rate), 1)],
      ['reference, eager start, jobs/s', ...spread(eager.rounds.map(rate), 1)],
      ['ratio', ...spread(ratios, 2)],
    ],
  );
  const programs = Object.keys(product.rounds[0]?.cpuMs ?? {});
  const cpu = renderTable(
    ['processor ms a job, median', ...programs, 'all'],
    Object.entries(sides).map(([name, side]) => [name, ...cpuCells(side.rounds, programs)]),
  );
  return `\n${jobs} jobs a round, ${rounds} rounds, webhook included, canned MP4\n\n${rates}\n\n${cpu}\n`;
}

function rate({ jobsPerSecond }: Round): number {
  return jobsPerSecond;
}

function cpuCells(measured: Round[], programs: string[]): string[] {
  const medians = programs.map((program) => median(measured.map(({ cpuMs }) => cpuMs[program] ?? 0)));
  const all = medians.reduce((sum, value) => sum + value, 0);
  return [...medians, all].map((value) => value.toFixed(1));
}
