/**
 * Compares this checkout with another one of the same repository, such as the commit before a change. Both gateways run
 * at the same time, each with its own database and upstream. Arguments: the other checkout's folder, with its
 * dependencies installed, then seconds of one round, pairs of rounds (default: five, for jobs nine), and parts of the
 * names of the cases to run (default: all).
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startReceiver } from '../../test/support/receiver.ts';
import { type MeasuredGateway, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison, type Side } from '../live/comparison.ts';
import { startServer } from '../live/processes.ts';
import { type Case, CASES } from './cases.ts';
import { acceptWork, videoWork } from './job-work.ts';

const [folder, seconds = '4', rounds, ...parts] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Usage: npm run bench -- versions FOLDER [SECONDS] [ROUNDS] [CASE]...\n');
  process.exit(2);
}

const comparisonOf = (defaultRounds: number) =>
  createComparison({
    seconds: Number(seconds),
    rounds: Number(rounds ?? defaultRounds),
    referenceName: 'the other checkout',
  });
const answers = comparisonOf(5);
const jobs = comparisonOf(9);
/** The least share of the other checkout's rate that a change must keep. Jobs spread more from round to round. */
const ANSWERS_BAR = 0.97;
const JOBS_BAR = 0.9;

// The other checkout may have other folders, but starts its gateway by the same function.
const otherScript = pathToFileURL(path.resolve(folder, 'bench/gateway-process.ts')).href;
const other = (await import(otherScript)) as { startMeasuredGateway: typeof startMeasuredGateway };
const rerankUpstream = await startServer('versions/rerank-upstream.ts');
const receiver = await startReceiver();

const ANSWERS_ENV = {
  PROVIDER_COHERE_BASE_URL: `${rerankUpstream.origin}/v2`,
  PROVIDER_COHERE_API_KEY: 'bench-key',
};
const JOBS = [
  // No worker ends the accepted jobs, so all of them stay open.
  { name: 'accept', env: { MAX_OPEN_JOBS: '1000000' }, workOf: acceptWork },
  {
    name: 'video',
    // Starts jobs at once, although the workers are overloaded on purpose.
    env: { JOB_SLOW_CLAIM: '1m' },
    workOf: (gateway: MeasuredGateway) => videoWork(gateway, receiver),
  },
];

// With the same code, the gateway that started first answered up to a fifth fewer requests, so the order alternates.
for (const started of ['first', 'second'] as const) {
  await measureAnswers(started);
  for (const { name, env, workOf } of JOBS) {
    const row = `${name}, started ${started}`;
    if (!isSelected(row)) continue;
    await withBoth(started, env, (product, reference) =>
      jobs.work(row, { product: workOf(product), reference: workOf(reference) }, JOBS_BAR),
    );
  }
}
await rerankUpstream.close();
await receiver.close();
const tables = [answers.render(), jobs.render()].filter((text) => text !== '');
process.stdout.write(`\n${tables.join('\n\n')}\n`);

async function measureAnswers(started: 'first' | 'second'): Promise<void> {
  const rows = CASES.flatMap((each) =>
    [32, 128].map((connections) => ({
      each,
      connections,
      name: `${each.name}, ${connections} connections, started ${started}`,
    })),
  ).filter(({ name }) => isSelected(name));
  if (rows.length === 0) return;
  await withBoth(started, ANSWERS_ENV, async (product, reference) => {
    for (const { each, connections, name } of rows) {
      const sides = { product: await sideOf(product, each), reference: await sideOf(reference, each) };
      await answers.throughput({ name, connections, ...sides }, ANSWERS_BAR);
    }
  });
}

function isSelected(name: string): boolean {
  return parts.length === 0 || parts.some((part) => name.includes(part));
}

/** Runs both gateways, this checkout's first or second, and closes them after the measurement. */
async function withBoth(
  started: 'first' | 'second',
  env: Record<string, string>,
  measure: (product: MeasuredGateway, reference: MeasuredGateway) => Promise<void>,
): Promise<void> {
  const early = started === 'first' ? await startMeasuredGateway({ env }) : undefined;
  const reference = await other.startMeasuredGateway({ env });
  const product = early ?? (await startMeasuredGateway({ env }));
  await measure(product, reference);
  await reference.close();
  await product.close();
}

async function sideOf(gateway: MeasuredGateway, { requestFor }: Case): Promise<Side> {
  return { origin: gateway.origin, pid: gateway.pid, request: await requestFor(gateway) };
}
