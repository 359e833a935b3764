/**
 * Measures the cost for callers of ten destinations that receive prompts and answers: 100 chats a second, with an
 * upstream that takes 100 ms. A second gateway without a destination is the reference, in alternating rounds. The
 * workers are separate processes. Arguments: seconds of one round, rounds, and `apart`: workers and tools get one core
 * and a low priority, which simulates separate machines.
 */
import { execFileSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { createDestination, received, startTools } from '../broadcast-steady/tool.ts';
import { cpuByProgram, cpuOfTree } from '../cpu.ts';
import { type MeasuredGateway, rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { loadSockets } from '../live/socket-load.ts';
import { median, renderTable, spread } from '../table.ts';

const [seconds = 10, rounds = 6] = process.argv.slice(2).map(Number);
const PER_SECOND = 100;
const CONNECTIONS = 32;
const UPSTREAM_MS = 100;
const WARM_UP_MS = 10_000;
/** The allowed growth of the median and the 95th percentile of callers' times. */
const BAR = 1.05;
const DESTINATIONS_PER_TYPE = 5;
const PROMPT = 'What does a gateway forward, and to what? '.repeat(50);

const tools = await startTools();
const gateways = { ten: await startMeasuredGateway(), none: await startMeasuredGateway() };
const workers = { ten: gateways.ten.startWorker(), none: gateways.none.startWorker() };
if (process.argv[4] === 'apart') for (const pid of [...Object.values(workers), tools.pid]) pinToOneCore(pid);
const paths: string[] = [];
for (const gateway of Object.values(gateways)) await slowDown(gateway);
for (let n = 1; n <= DESTINATIONS_PER_TYPE; n += 1) {
  for (const type of ['webhook', 'otel-collector'] as const) {
    paths.push(`/${type}/${n}`);
    await createDestination(gateways.ten, type, tools.url(`/${type}/${n}`), false);
  }
}

const measured = { ten: [] as Round[], none: [] as Round[] };
let sent = 0;
for (const side of ['none', 'ten'] as const) await load(side, WARM_UP_MS);
for (let n = 1; n <= rounds; n += 1) {
  for (const side of n % 2 === 1 ? (['ten', 'none'] as const) : (['none', 'ten'] as const)) {
    measured[side].push(await load(side, seconds * 1_000));
  }
  process.stdout.write(`round ${n} of ${rounds} done\n`);
}
for (const gateway of Object.values(gateways)) await gateway.close();
tools.close();

const costs = (['API', 'worker', 'Postgres'] as const).map((name) => [
  name,
  ...(['ten', 'none'] as const).map((side) =>
    median(measured[side].map(({ cpuMs }) => cpuMs[name])).toFixed(2),
  ),
]);
const rows = (['p50', 'p95'] as const).flatMap((share) => {
  const ratios = measured.ten.map((round, i) => round[share] / measured.none[i]![share]);
  const verdict = median(ratios) <= BAR ? 'ok' : 'ABOVE';
  return [
    [
      `${share}, ten destinations, ms`,
      ...spread(
        measured.ten.map((round) => round[share]),
        1,
      ),
      '',
    ],
    [
      `${share}, none, ms`,
      ...spread(
        measured.none.map((round) => round[share]),
        1,
      ),
      '',
    ],
    ['ratio', ...spread(ratios, 3), `${BAR} ${verdict}`],
  ];
});
process.stdout.write(
  `\n${rounds} rounds of ${seconds} s, ${sent} generations forwarded to each of ${paths.length} destinations\n\n${renderTable(['', 'min', 'median', 'max', 'bar'], rows)}\n\n${renderTable(['processor time, median, ms a chat', 'ten', 'none'], costs)}\n`,
);

interface Round {
  p50: number;
  p95: number;
  /** Milliseconds of processor time for each chat, by process. */
  cpuMs: Record<'API' | 'worker' | 'Postgres', number>;
}

function cpuSoFar(side: 'ten' | 'none'): Round['cpuMs'] {
  return {
    API: cpuOfTree(gateways[side].pid) ?? 0,
    worker: cpuOfTree(workers[side]) ?? 0,
    Postgres: cpuByProgram()?.['postgres'] ?? 0,
  };
}

/**
 * Sends chats for the duration. Waits until all tools have received them, so that no work is left over in the next
 * round.
 */
async function load(side: 'ten' | 'none', durationMs: number): Promise<Round> {
  const { origin, apiKey } = gateways[side];
  const body = { model: 'local/echo-1', messages: [{ role: 'user', content: PROMPT }] };
  const request = rawRequest('/api/v1/chat/completions', apiKey, body);
  const before = cpuSoFar(side);
  const { wholeMs, requests } = await loadSockets({
    origin,
    request,
    connections: CONNECTIONS,
    durationMs,
    perSecond: PER_SECOND,
  });
  if (side === 'ten') await received(tools, paths, (sent += requests));
  const at = (share: number): number => wholeMs[Math.floor(wholeMs.length * share)]!;
  const after = cpuSoFar(side);
  const of = (name: keyof Round['cpuMs']): number => (after[name] - before[name]) / requests;
  return {
    p50: at(0.5),
    p95: at(0.95),
    cpuMs: { API: of('API'), worker: of('worker'), Postgres: of('Postgres') },
  };
}

/** Pins a process, with all its threads, to one core and gives it a low priority. */
function pinToOneCore(pid: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', String(pid)], { stdio: 'ignore' });
  setPriority(pid, 10);
}

async function slowDown({ upstream }: MeasuredGateway): Promise<void> {
  const faults = [{ kind: 'delay', on: 'chat', delayMs: UPSTREAM_MS, times: 1_000_000 }];
  const response = await fetch(`${upstream.baseUrl.replace(/\/v1$/, '')}/control/faults`, {
    method: 'POST',
    headers: { authorization: `Bearer ${upstream.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ faults }),
  });
  if (!response.ok) throw new Error(`the upstream answered ${response.status}`);
}
