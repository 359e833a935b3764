import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { cpuByProgram, cpuOfProcess } from '../cpu.ts';
import { rawRequest, spawnScript, startMeasuredGateway } from '../gateway-process.ts';
import { median, renderTable, spread } from '../table.ts';
import { type LoadResult, loadSockets } from './socket-load.ts';

/** Seconds of one round, and pairs of rounds for each row. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);
const MESSAGES = [{ role: 'user', content: 'Say what you always say.' }];

const gateway = await startMeasuredGateway();
const product = gateway.origin;
const { baseUrl, apiKey: upstreamKey } = gateway.upstream;
const bareChild = spawnScript('chat/bare-proxy.ts', [baseUrl, upstreamKey], { output: 'pipe' });
const [bare] = (await once(createInterface({ input: bareChild.stdout! }), 'line')) as [string];

interface Row {
  name: string;
  connections: number;
  stream: boolean;
  bar: number;
}

const ROWS: Row[] = [
  { name: 'chat, 32 connections', connections: 32, stream: false, bar: 0.55 },
  { name: 'chat, 128 connections', connections: 128, stream: false, bar: 0.7 },
  { name: 'chat streamed, 32 connections', connections: 32, stream: true, bar: 0.8 },
  { name: 'chat streamed, 128 connections', connections: 128, stream: true, bar: 0.8 },
];

/** Until the compiler has seen enough; half a minute of traffic is nothing to a server. */
const WARM_UP_SECONDS = 5;

interface Cost {
  server: number;
  postgres: number;
}

const table: string[][] = [];
const costs: string[][] = [];
for (const row of ROWS) {
  const rates = { product: [] as number[], bare: [] as number[] };
  const spent = { product: [] as Cost[], bare: [] as Cost[] };
  await round('bare', row, WARM_UP_SECONDS);
  await round('product', row, WARM_UP_SECONDS);
  for (let n = 1; n <= rounds; n += 1) {
    const order = n % 2 === 1 ? (['product', 'bare'] as const) : (['bare', 'product'] as const);
    for (const side of order) {
      const before = costSoFar(side);
      const { perSecond, requests } = await round(side, row, seconds);
      const after = costSoFar(side);
      rates[side].push(perSecond);
      spent[side].push({
        server: ((after.server - before.server) / requests) * 1_000,
        postgres: ((after.postgres - before.postgres) / requests) * 1_000,
      });
    }
  }
  const middle = (some: Cost[], of: keyof Cost) => median(some.map((cost) => cost[of])).toFixed(0);
  const { product: own, bare: other } = spent;
  costs.push([row.name, middle(own, 'server'), middle(own, 'postgres'), middle(other, 'server')]);
  const ratios = rates.product.map((rate, i) => rate / rates.bare[i]!);
  process.stdout.write(`${row.name}: ${median(ratios).toFixed(2)}\n`);
  table.push(
    [`${row.name}: product/s`, ...spread(rates.product, 0), ''],
    ['bare Koa + undici/s', ...spread(rates.bare, 0), ''],
    ['ratio', ...spread(ratios, 2), row.bar.toFixed(2)],
  );
}

/** At half of what the product can do, so that waiting in line is not what is measured. */
const delays: string[][] = [];
for (const stream of [false, true]) {
  const row: Row = { name: '', connections: 32, stream, bar: 0 };
  const perSecond = (await round('product', row, seconds)).perSecond / 2;
  const measured = { product: [] as LoadResult[], bare: [] as LoadResult[] };
  for (let n = 1; n <= rounds; n += 1) {
    for (const side of ['bare', 'product'] as const) {
      measured[side].push(await round(side, row, seconds, perSecond));
    }
  }
  const added = (of: (result: LoadResult) => number) =>
    spread(
      measured.product.map((result, i) => of(result) - of(measured.bare[i]!)),
      2,
    );
  const what = stream ? 'streamed' : 'whole answer';
  delays.push(
    [`${what}: added to the first byte, p50, ms`, ...added(({ firstByteMs }) => at(firstByteMs, 0.5))],
    [`${what}: added to the whole, p99, ms`, ...added(({ wholeMs }) => at(wholeMs, 0.99))],
  );
}

bareChild.kill('SIGTERM');
await once(bareChild, 'exit');
await gateway.close();
process.stdout.write(
  `\n${rounds} rounds of ${seconds} s\n\n${renderTable(['', 'min', 'median', 'max', 'bar'], table)}\n\nProcessor time, median, µs a request\n\n${renderTable(['', 'API', 'its Postgres', 'bare Koa + undici'], costs)}\n\nAt half of saturation, 32 connections\n\n${renderTable(['', 'min', 'median', 'max'], delays)}\n`,
);

function costSoFar(side: 'product' | 'bare'): Cost {
  const pid = side === 'product' ? gateway.pid : bareChild.pid!;
  return { server: cpuOfProcess(pid) ?? 0, postgres: cpuByProgram()?.['postgres'] ?? 0 };
}

function round(
  side: 'product' | 'bare',
  { connections, stream }: Row,
  durationSeconds: number,
  perSecond?: number,
): Promise<LoadResult> {
  const model = side === 'product' ? 'local/chat-canned' : 'chat-canned';
  const target = side === 'product' ? '/api/v1/chat/completions' : '/';
  const body = { model, messages: MESSAGES, ...(stream ? { stream } : {}) };
  return loadSockets({
    origin: side === 'product' ? product : bare,
    request: rawRequest(target, gateway.apiKey, body),
    connections,
    durationMs: durationSeconds * 1_000,
    ...(perSecond === undefined ? {} : { perSecond }),
  });
}

function at(ascending: number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))]!;
}
