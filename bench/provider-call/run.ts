/**
 * Measures the cost of one chat of 400 bytes in this process, with a separate upstream: through the adapter, through
 * undici's `request`, and through `request` with a deadline as a chain of signals.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Agent } from 'undici';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createProviders } from '../../providers/registry.ts';
import { renderTable, spread } from '../table.ts';
import { freeAnswer } from '../../test/support/free-answer.ts';

const [calls = 20_000, rounds = 5, callers = 32] = process.argv.slice(2).map(Number);
const API_KEY = 'sk-benchmark';
const REQUEST = { model: 'chat-canned', messages: [{ role: 'user', content: 'Hello there, how are you?' }] };
const TIMEOUTS = { firstByteMs: 60_000, idleMs: 120_000, attemptMs: 600_000 };

const script = fileURLToPath(new URL('upstream.ts', import.meta.url));
const upstream = spawn(process.execPath, ['--no-warnings', script, API_KEY], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const [baseUrl] = (await once(createInterface({ input: upstream.stdout }), 'line')) as [string];

const dispatcher = createProviderDispatcher();
const agent = new Agent();
const chat = createProviders({
  rows: [{ slug: 'local', adapter: 'local', baseUrl }],
  credentials: () => ({ apiKey: API_KEY }),
  outbound: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
  dispatcher,
}).get('local')!.chat!;
const context = () => ({
  signal: new AbortController().signal,
  requestId: 'req',
  timeouts: TIMEOUTS,
  answer: freeAnswer(),
});

async function plainRequest(signal: AbortSignal): Promise<unknown> {
  const { origin, pathname } = new URL(baseUrl);
  const answer = await agent.request({
    origin,
    path: `${pathname}/chat/completions`,
    method: 'POST',
    headers: {
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'application/json',
      'x-client-request-id': 'req',
    },
    body: JSON.stringify(REQUEST),
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return JSON.parse(await answer.body.text());
}

const ways: Record<string, () => Promise<unknown>> = {
  adapter: () => chat.complete(REQUEST, context()),
  'undici request': () => plainRequest(context().signal),
  'undici request, signals': () =>
    plainRequest(AbortSignal.any([context().signal, AbortSignal.timeout(TIMEOUTS.attemptMs)])),
  'adapter, stream of 28 events': async () => {
    for await (const _ of await chat.stream(REQUEST, context())) void _;
  },
};

/** Returns the processor time of a call, in microseconds. */
async function round(call: () => Promise<unknown>, count: number): Promise<number> {
  const before = process.cpuUsage();
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

const costs = Object.keys(ways).map((name) => ({ name, call: ways[name]!, us: [] as number[] }));
for (const { call } of costs) await round(call, calls / 4);
for (let n = 1; n <= rounds; n += 1) {
  for (const cost of n % 2 === 1 ? costs : costs.toReversed()) cost.us.push(await round(cost.call, calls));
  process.stdout.write(`round ${n} of ${rounds} done\n`);
}
await Promise.all([dispatcher.destroy(), agent.destroy()]);
upstream.stdin.end();

process.stdout.write(
  `\n${calls} calls a round, ${callers} at once, ${rounds} rounds\n\n${renderTable(
    ['processor time a call, µs', 'min', 'median', 'max'],
    costs.map(({ name, us }) => [name, ...spread(us, 0)]),
  )}\n`,
);
