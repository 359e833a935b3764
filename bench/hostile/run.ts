/** Measures the processor time that hostile requests cost the API. */
import { request as send } from 'undici';
import type { OperationDefinition } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { busyNanosOfProcess } from '../cpu.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { renderTable } from '../table.ts';
import { measureUnsentBodies } from './measure-unsent-bodies.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';

/** The repetitions of each request after the first. */
const [repeats = 5] = process.argv.slice(2).map(Number);
/** The signing secret makes the API read callbacks without a token. */
const WEBHOOK_SECRET = `whsec_${Buffer.from('the secret of a provider').toString('base64')}`;
const BAR_MS = 50;
const TAGS = new Set([
  'Keys',
  'End users',
  'Audit log',
  'Credits',
  'Analytics',
  'Classifiers',
  'Datasets',
  'Organization',
  'Workspaces',
  'Models',
  'Embeddings',
]);

interface Cost {
  name: string;
  statuses: Set<number>;
  firstMs: number;
  meanMs: number;
}

const gateway = await startMeasuredGateway({
  env: { PROVIDER_REPLICATE_WEBHOOK_SECRET: WEBHOOK_SECRET },
});
process.stdout.write(`${await measureUnsentBodies(gateway)}\n\n`);
const table: string[][] = [];
let sent = 0;
for (const operation of Object.values<OperationDefinition>(operations)) {
  if (!TAGS.has(operation.tag) || operation.body?.limit === 'generation') continue;
  const costs: Cost[] = [];
  for (const request of hostileRequests(operation)) costs.push(await measure(request));
  if (costs.length === 0) continue;
  sent += costs.length;
  const worst = costs.reduce((a, b) => (b.meanMs > a.meanMs ? b : a));
  const first = Math.max(...costs.map(({ firstMs }) => firstMs));
  table.push([
    operation.id,
    `${costs.length}`,
    worst.name,
    [...worst.statuses].join(' '),
    worst.meanMs.toFixed(1),
    first.toFixed(1),
  ]);
  process.stdout.write(`${operation.id}: ${worst.meanMs.toFixed(1)} ms, ${worst.name}\n`);
}
await gateway.close();
const worst = Math.max(...table.map((row) => Number(row[4])));
process.stdout.write(
  `\n${sent} requests, each ${repeats} times after a first time; processor time of the API, ms\n\n${renderTable(
    ['operation', 'requests', 'the worst of them', 'status', 'mean', 'worst first time'],
    table.toSorted((a, b) => Number(b[4]) - Number(a[4])),
  )}\n\nthe worst mean is ${worst.toFixed(1)} ms; the bar is ${BAR_MS}\n`,
);

async function measure(request: HostileRequest): Promise<Cost> {
  const statuses = new Set<number>();
  const once = async (): Promise<number> => {
    const before = busyNanosOfProcess(gateway.pid);
    statuses.add(await answerTo(request));
    return (busyNanosOfProcess(gateway.pid) - before) / 1e6;
  };
  const firstMs = await once();
  let sumMs = 0;
  for (let n = 0; n < repeats; n += 1) sumMs += await once();
  return { name: request.name, statuses, firstMs, meanMs: sumMs / repeats };
}

/** Sends a request. Throws if the API answers with a 500. */
async function answerTo({ name, method, target, headers, body }: HostileRequest): Promise<number> {
  const response = await send(`${gateway.origin}/api/v1${target}`, {
    method: method as 'POST',
    headers: { authorization: `Bearer ${gateway.managementKey}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  await response.body.dump();
  if (response.statusCode >= 500) throw new Error(`${method} ${target}, ${name}: ${response.statusCode}`);
  return response.statusCode;
}
