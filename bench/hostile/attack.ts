/** Measures how an attack of one tenant changes the chats of another one: before, during and after it. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { request as send } from 'undici';
import { addKey, addOrganization } from '../../test/support/accounts.ts';
import {
  type MeasuredGateway,
  type MeasuredGatewayOptions,
  startMeasuredGateway,
} from '../gateway-process.ts';
import { renderTable } from '../table.ts';

/** An attack, in a file of its own below `bench/hostile`. `run.ts` lists all attacks. */
export interface Attack {
  /** The gateway that is attacked. It is new for each attack. */
  gateway?: MeasuredGatewayOptions;
  /** Begins the attack with a tenant of its own. The chats of the other tenant are measured from now on. */
  start(gateway: MeasuredGateway): Promise<RunningAttack>;
}

export interface RunningAttack {
  /** Ends the attack, and returns what the attacker did and was answered, in a sentence. */
  stop(): Promise<string>;
}

const CONNECTIONS = 8;
const PERIOD_MS = 20_000;
const WARM_UP_MS = 3_000;
const SAMPLE_EVERY_MS = 250;
const CHAT = { model: 'local/chat-canned', messages: [{ role: 'user', content: 'Hello there' }] };

/** Runs an attack. Returns a table and what happened. Throws if the other tenant had an answer other than 200. */
export async function measureAttack(name: string, attack: Attack): Promise<string> {
  const gateway = await startMeasuredGateway(attack.gateway);
  const { token } = await addKey(gateway, await addOrganization(gateway));
  const measure = () => measurePeriod(gateway, token, PERIOD_MS);
  await measurePeriod(gateway, token, WARM_UP_MS);
  const before = await measure();
  const { stop } = await attack.start(gateway);
  const during = await measure();
  const told = await stop();
  const after = await measure();
  await gateway.close();
  const table = renderTable(
    ['the other tenant', 'before', 'during', 'after'],
    ROWS.map(([title, show]) => [title, ...[before, during, after].map(show)]),
  );
  const report = `${name}: ${told}\n\n${table}`;
  if ([before, during, after].some(({ others }) => others.size > 0))
    throw new Error(`not every chat was answered 200\n${report}`);
  return report;
}

interface Period {
  /** Milliseconds of the chats that were answered 200, ascending. */
  tookMs: number[];
  seconds: number;
  /** All other outcomes and their number. */
  others: Map<string, number>;
  /** The most memory and the most descriptors of the API. */
  memoryMb: number;
  descriptors: number;
}

const ROWS: [title: string, show: (period: Period) => string][] = [
  ['chats answered 200 a second', ({ tookMs, seconds }) => (tookMs.length / seconds).toFixed(0)],
  [
    'other answers',
    ({ others }) => [...others].map(([what, n]) => `${n} times ${what}`).join(', ') || 'none',
  ],
  ['median, ms', ({ tookMs }) => quantile(tookMs, 0.5)],
  ['p99, ms', ({ tookMs }) => quantile(tookMs, 0.99)],
  ['memory of the API at most, MB', ({ memoryMb }) => memoryMb.toFixed(0)],
  ['descriptors of the API at most', ({ descriptors }) => `${descriptors}`],
];

function quantile(ascending: number[], part: number): string {
  return ascending[Math.floor(ascending.length * part)]?.toFixed(1) ?? 'none';
}

/** Chats over several connections, each waiting for its answer, while it watches the API's memory and descriptors. */
async function measurePeriod({ origin, pid }: MeasuredGateway, token: string, ms: number): Promise<Period> {
  const startedAtMs = performance.now();
  const tookMs: number[] = [];
  const others = new Map<string, number>();
  const isOver = (): boolean => performance.now() - startedAtMs >= ms;
  const chat = async (): Promise<void> => {
    while (!isOver()) {
      const sentAtMs = performance.now();
      const outcome = await outcomeOf(origin, token);
      if (outcome === '200') tookMs.push(performance.now() - sentAtMs);
      else others.set(outcome, (others.get(outcome) ?? 0) + 1);
    }
  };
  const most = { memoryMb: 0, descriptors: 0 };
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      most.memoryMb = Math.max(most.memoryMb, memoryMbOf(pid));
      most.descriptors = Math.max(most.descriptors, readdirSync(`/proc/${pid}/fd`).length);
      await delay(SAMPLE_EVERY_MS);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: CONNECTIONS }, chat)]);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { tookMs: tookMs.toSorted((a, b) => a - b), seconds, others, ...most };
}

async function outcomeOf(origin: string, token: string): Promise<string> {
  try {
    const answer = await send(`${origin}/api/v1/chat/completions`, {
      method: 'POST',
      // A new connection for each chat, because an attack may take the descriptors that new callers need.
      reset: true,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(CHAT),
    });
    await answer.body.dump();
    return `${answer.statusCode}`;
  } catch {
    return 'no answer';
  }
}

function memoryMbOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
