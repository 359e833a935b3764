/** Measures how much processor time an open overview costs the API, by itself and for each chat beside it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { cpuOfTree } from '../cpu.ts';
import { rawRequest } from '../gateway-process.ts';
import { loadSockets } from '../live/socket-load.ts';
import { openSignedIn, type SignedIn, timeUntilShown } from './views.ts';

const CONNECTIONS = 32;
/** The time until the compiler has optimized the code. */
const WARM_UP_MS = 15_000;
/** The overview reads its figures again once in this time, so each round has one such reading. */
const ROUND_MS = 15_000;
const IDLE_MS = 30_000;

type Sides<T> = { with: T; without: T };

/** Returns the processor time of the API in milliseconds a minute while nothing else uses it. */
export async function measureIdle(where: SignedIn): Promise<Sides<number>> {
  const perMinute = 60_000 / IDLE_MS;
  const without = await cpuDuring(where, () => sleep(IDLE_MS));
  const page = await openOverview(where);
  const during = await cpuDuring(where, () => sleep(IDLE_MS));
  await page.context().close();
  return { with: during * perMinute, without: without * perMinute };
}

/** Returns the processor time of the API in microseconds a chat, in alternating rounds. */
export async function measureChats(
  where: SignedIn,
  rounds: number,
): Promise<Sides<number[]> & { ratios: number[] }> {
  const times: Sides<number[]> = { with: [], without: [] };
  await loadChats(where, WARM_UP_MS);
  for (let n = 1; n <= rounds; n += 1) {
    const order = n % 2 === 1 ? (['without', 'with'] as const) : (['with', 'without'] as const);
    for (const side of order) times[side].push(await measureRound(where, side === 'with'));
    process.stdout.write(`Round ${n} of ${rounds} of chats done\n`);
  }
  return { ...times, ratios: times.with.map((micros, index) => micros / times.without[index]!) };
}

async function measureRound(where: SignedIn, isOpen: boolean): Promise<number> {
  const page = isOpen ? await openOverview(where) : undefined;
  let chats = 0;
  const cpuMs = await cpuDuring(where, async () => {
    chats = await loadChats(where, ROUND_MS);
  });
  await page?.context().close();
  return (cpuMs * 1_000) / chats;
}

/** Returns the number of chats that were answered. */
async function loadChats({ gateway }: SignedIn, durationMs: number): Promise<number> {
  const body = {
    model: 'local/chat-canned',
    messages: [{ role: 'user', content: 'Say what you always say.' }],
  };
  const request = rawRequest('/api/v1/chat/completions', gateway.apiKey, body);
  const { requests } = await loadSockets({
    origin: gateway.origin,
    request,
    connections: CONNECTIONS,
    durationMs,
  });
  return requests;
}

async function cpuDuring({ gateway: { pid } }: SignedIn, work: () => Promise<void>): Promise<number> {
  const before = cpuOfTree(pid);
  await work();
  const after = cpuOfTree(pid);
  if (before === undefined || after === undefined) throw new Error('This system has no /proc.');
  return after - before;
}

async function openOverview(where: SignedIn): Promise<Page> {
  const page = await openSignedIn(where, '/keys');
  await timeUntilShown(page, 'hour', () => page.getByRole('link', { name: 'Overview' }).click());
  return page;
}
