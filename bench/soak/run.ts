/** Measures the memory of the API under thousands of open streams over a long time. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { loadSockets } from '../live/socket-load.ts';
import { rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { median, renderTable } from '../table.ts';
import { holdStreams } from './open-streams.ts';
import { renderPlot } from './plot.ts';

/** The duration in minutes, and the number of open streams. */
const [minutes = 30, streams = 2_000] = process.argv.slice(2).map(Number);
const CHATS_PER_SECOND = 100;
const SAMPLE_MS = 5_000;
const BAR_MIB = 400;
const PLOT = new URL('../../docs/images/soak.svg', import.meta.url);

const gateway = await startMeasuredGateway({ compiled: true });
const chat = '/api/v1/chat/completions';
/** Streams of three to ten minutes, so that they do not all end at the same time. */
const dripping = [180, 260, 340, 420, 500, 600].map((seconds) =>
  rawRequest(chat, gateway.apiKey, {
    model: 'local/echo-1',
    stream: true,
    messages: [{ role: 'user', content: 'word '.repeat(seconds) }],
    faults: [{ kind: 'drip', unit: 'event', everyMs: 1_000 }],
  }),
);
const whole = rawRequest(chat, gateway.apiKey, {
  model: 'local/chat-canned',
  messages: [{ role: 'user', content: 'Say what you always say.' }],
});

const restMib = residentMib();
const held = holdStreams(gateway.origin, dripping, streams);
while (held.open() < streams * 0.99) await delay(500);
const load = loadSockets({
  origin: gateway.origin,
  request: whole,
  connections: 8,
  durationMs: minutes * 60_000,
  perSecond: CHATS_PER_SECOND,
});

const startedAtMs = Date.now();
const points: { x: number; y: number }[] = [];
let fewest = streams;
while (Date.now() - startedAtMs < minutes * 60_000) {
  await delay(SAMPLE_MS);
  points.push({ x: (Date.now() - startedAtMs) / 60_000, y: residentMib() });
  fewest = Math.min(fewest, held.open());
  if (points.length % 12 === 0) {
    process.stdout.write(
      `${points.at(-1)!.x.toFixed(0)} min: ${points.at(-1)!.y} MiB, ${held.open()} streams\n`,
    );
  }
}
const { requests } = await load;
held.close();
await gateway.close();

const quarter = Math.max(1, Math.floor(points.length / 4));
const mid = (some: typeof points): string => median(some.map(({ y }) => y)).toFixed(0);
writeFileSync(
  PLOT,
  renderPlot({
    title: `Resident memory of the API, ${streams} open streams, ${CHATS_PER_SECOND} chats/s`,
    points,
    bar: BAR_MIB,
  }),
);
process.stdout.write(
  `\n${minutes} minutes, ${streams} open streams (never fewer than ${fewest}), ${requests} chats beside them\n\n${renderTable(
    ['resident memory of the API', 'MiB'],
    [
      ['at rest', restMib.toFixed(0)],
      ['first quarter, median', mid(points.slice(0, quarter))],
      ['last quarter, median', mid(points.slice(-quarter))],
      ['most', Math.max(...points.map(({ y }) => y)).toFixed(0)],
    ],
  )}\n\nThe bar is ${BAR_MIB} MiB. The plot is docs/images/soak.svg\n`,
);

/** Returns the resident memory of the API in MiB. Works on Linux only, because it reads /proc. */
function residentMib(): number {
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}
