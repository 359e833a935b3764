/** Measures the processor time that hostile requests cost the API. */
import { request as send } from 'undici';
import type { OperationDefinition } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { busyNanosOfProcess } from '../cpu.ts';
import type { MeasuredGateway } from '../gateway-process.ts';
import { renderTable } from '../table.ts';
import { type HostileRequest, hostileRequests } from './requests.ts';

/** The repetitions of each request after the first. */
const REPEATS = 5;
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

/** Sends every hostile request several times, and returns a table of the most expensive ones. */
export async function measureRequests(gateway: MeasuredGateway): Promise<string> {
  const table: string[][] = [];
  let sent = 0;
  for (const operation of Object.values<OperationDefinition>(operations)) {
    if (!TAGS.has(operation.tag) || operation.body?.limit === 'generation') continue;
    const costs: Cost[] = [];
    for (const request of hostileRequests(operation)) costs.push(await measure(gateway, request));
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
  const worst = Math.max(...table.map((row) => Number(row[4])));
  const rendered = renderTable(
    ['operation', 'requests', 'the worst of them', 'status', 'mean', 'worst first time'],
    table.toSorted((a, b) => Number(b[4]) - Number(a[4])),
  );
  return `${sent} requests, each ${REPEATS} times after a first time; processor time of the API, ms\n\n${rendered}\n\nthe worst mean is ${worst.toFixed(1)} ms; the bar is ${BAR_MS}`;
}

async function measure(gateway: MeasuredGateway, request: HostileRequest): Promise<Cost> {
  const statuses = new Set<number>();
  const once = async (): Promise<number> => {
    const before = busyNanosOfProcess(gateway.pid);
    statuses.add(await answerTo(gateway, request));
    return (busyNanosOfProcess(gateway.pid) - before) / 1e6;
  };
  const firstMs = await once();
  let sumMs = 0;
  for (let n = 0; n < REPEATS; n += 1) sumMs += await once();
  return { name: request.name, statuses, firstMs, meanMs: sumMs / REPEATS };
}

/** Sends a request. Throws if the API answers with a 500. */
async function answerTo(
  { origin, managementKey }: MeasuredGateway,
  { name, method, target, headers, body }: HostileRequest,
): Promise<number> {
  const response = await send(`${origin}/api/v1${target}`, {
    method: method as 'POST',
    headers: { authorization: `Bearer ${managementKey}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  await response.body.dump();
  if (response.statusCode >= 500) throw new Error(`${method} ${target}, ${name}: ${response.statusCode}`);
  return response.statusCode;
}
