/**
 * Compares the pump of a webhook with a bare loop that reads the same rows, encodes them with the same package and
 * posts the same batches to the same sink, a separate process. Arguments: generations of one round, and rounds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openBroadcastScene } from '../../test/support/broadcast-scene.ts';
import { median, renderTable, spread } from '../table.ts';
import { sendBare } from './bare-loop.ts';

/** The least share of the bare loop's speed that the pump must reach. */
const BAR = 0.6;
const [events = 20_000, rounds = 5] = process.argv.slice(2).map(Number);
const RECORDED_AT_ONCE = 500;
const SHARDS = 4;

const sink = fork(fileURLToPath(new URL('sink.ts', import.meta.url)), { execArgv: ['--no-warnings'] });
const { port } = await fromSink<{ port: number }>();
const url = `http://127.0.0.1:${port}/`;

const scene = await openBroadcastScene();
const place = await scene.addWorkspace();
// Each round has its own destination, which begins before the first generation. One more is for the warm-up.
const destinations: string[] = [];
for (let n = 0; n <= rounds; n += 1) {
  destinations.push(await scene.addDestination(place, { type: 'webhook', config: { url, method: 'POST' } }));
}
const { connectionString = '' } = scene.database.options;

const broadcast = {
  requestModel: 'author/model',
  parameters: { temperature: 0.5 },
  trace: { trace_name: 'support', generation_name: 'answer', tenant: 'acme' },
};
const response = {
  provider: 'a',
  provider_name: 'A',
  endpoint_id: 'a',
  status: 200,
  latency: 90,
  is_byok: false,
};
for (let n = 0; n < events; n += RECORDED_AT_ONCE) {
  await scene.record(
    place,
    Math.min(RECORDED_AT_ONCE, events - n),
    { broadcast, details: { ...emptyDetails(), providerResponses: [response] } },
    (n / RECORDED_AT_ONCE) % SHARDS,
  );
}
await scene.database.query('analyze');

const rates = { pump: [] as number[], bare: [] as number[] };
const sizes = { pump: 0, bare: 0 };
for (const [n, destination] of destinations.entries()) {
  const sides = {
    pump: async () => {
      const result = await scene.pump(destination, { runMs: 600_000 });
      if (result.kind !== 'idle') throw new Error(`the pump ended as ${result.kind}`);
      return Number((await scene.progress(destination))['delivered']);
    },
    bare: () => sendBare(connectionString, { ...place, shards: SHARDS }, url),
  };
  for (const side of n % 2 === 1 ? (['pump', 'bare'] as const) : (['bare', 'pump'] as const)) {
    const startedAtMs = performance.now();
    const sent = await sides[side]();
    const seconds = (performance.now() - startedAtMs) / 1_000;
    if (sent !== events) throw new Error(`${side} sent ${sent} of ${events}`);
    sizes[side] = (await askSink()).bytes;
    // The first round is the warm-up.
    if (n > 0) rates[side].push(events / seconds);
  }
}
await scene.close();
sink.disconnect();

const ratios = rates.pump.map((rate, i) => rate / rates.bare[i]!);
const verdict = median(ratios) >= BAR ? 'ok' : 'BELOW';
process.stdout.write(
  `\n${rounds} rounds of ${events} generations; bytes of a generation: pump ${perEvent(sizes.pump)}, bare ${perEvent(sizes.bare)}\n\n${renderTable(
    ['', 'min', 'median', 'max', 'bar'],
    [
      ['pump, events/s', ...spread(rates.pump, 0), ''],
      ['bare loop, events/s', ...spread(rates.bare, 0), ''],
      ['ratio', ...spread(ratios, 2), `${BAR} ${verdict}`],
    ],
  )}\n`,
);

function perEvent(bytes: number): string {
  return (bytes / events).toFixed(0);
}

function askSink(): Promise<{ bytes: number; requests: number }> {
  sink.send('ask');
  return fromSink();
}

async function fromSink<Answer>(): Promise<Answer> {
  const [answer] = (await once(sink, 'message')) as [Answer];
  return answer;
}

function emptyDetails() {
  return {
    upstreamId: null,
    nativeFinishReason: null,
    serviceTier: null,
    httpReferer: null,
    appTitle: null,
    userAgent: null,
    requestId: null,
  };
}
