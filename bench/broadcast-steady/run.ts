/**
 * Sends 500 chats a second through the API, forwarded to a webhook and to a Collector by a separate worker. Measures
 * how long each generation takes to arrive, and its cost in Temporal. Arguments: seconds, and chats a second.
 */
import { broadcastWorkflowId } from '../../domain/runs.ts';
import { type MeasuredGateway, rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { loadSockets } from '../live/socket-load.ts';
import { renderTable } from '../table.ts';
import { createDestination, received, startTools } from './tool.ts';

const [seconds = 60, perSecond = 500] = process.argv.slice(2).map(Number);
const CONNECTIONS = 64;
/** The time after the settlement in which 99 of 100 generations must arrive. */
const LAG_BAR_MS = 1_000;
const ACTIONS_BAR = 1;
/**
 * The interval of heartbeats, each of which Temporal bills as an action. The SDK throttles them to four fifths of the
 * timeout in workflows/activity-options.ts.
 */
const HEARTBEAT_SECONDS = 8;

const TYPES = { '/webhook': 'webhook', '/collector': 'otel-collector' } as const;
const paths = Object.keys(TYPES) as (keyof typeof TYPES)[];

const tools = await startTools();
const gateway = await startMeasuredGateway();
gateway.startWorker();
const destinations: string[] = [];
for (const path of paths)
  destinations.push(await createDestination(gateway, TYPES[path], tools.url(path), true));

const body = {
  model: 'local/chat-canned',
  messages: [{ role: 'user', content: 'Say what you always say.' }],
};
const request = rawRequest('/api/v1/chat/completions', gateway.apiKey, body);
const chat = (durationMs: number) =>
  loadSockets({ origin: gateway.origin, request, connections: CONNECTIONS, durationMs, perSecond });

// The worker bundles and compiles its code during the warm-up, so a backlog forms; `bench broadcast-backlog` measures
// backlogs.
const warmUp = await chat(10_000);
await received(tools, paths, warmUp.requests);
const startedAtMs = performance.now();
const actionsBefore = await actions(gateway);
const measured = await chat(seconds * 1_000);
await received(tools, paths, warmUp.requests + measured.requests);
const tookSeconds = (performance.now() - startedAtMs) / 1_000;
const recorded = (await actions(gateway)) - actionsBefore;

const rows: string[][] = [];
for (const path of paths) {
  const { lagsMs } = await tools.arrivals(path);
  const sorted = lagsMs.slice(warmUp.requests).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)]!;
  const verdict = at(0.99) < LAG_BAR_MS ? 'ok' : 'ABOVE';
  rows.push([
    `${TYPES[path]}: lag, ms`,
    ...[at(0.5), at(0.95), at(0.99), sorted.at(-1)!].map((ms) => ms.toFixed(0)),
    `p99 < ${LAG_BAR_MS} ${verdict}`,
  ]);
}
const heartbeats = (tookSeconds / HEARTBEAT_SECONDS) * destinations.length;
const perThousand = ((recorded + heartbeats) / measured.requests) * 1_000;
const verdict = perThousand <= ACTIONS_BAR ? 'ok' : 'ABOVE';
await gateway.close();
tools.close();

process.stdout.write(
  `\n${measured.requests} chats in ${seconds} s, ${measured.perSecond.toFixed(0)} a second, to ${paths.length} destinations\n\n${renderTable(['', 'p50', 'p95', 'p99', 'max', 'bar'], rows)}\n\nActions of Temporal: ${recorded} in histories and ${heartbeats.toFixed(0)} heartbeats, ${perThousand.toFixed(2)} for 1,000 generations (bar ${ACTIONS_BAR}) ${verdict}\n`,
);

/**
 * Counts the actions that Temporal Cloud bills for a history: starts, signals, activities, timers and search
 * attributes.
 */
async function actions({ temporal }: MeasuredGateway): Promise<number> {
  let count = 0;
  for (const id of destinations) {
    const { events } = await temporal.workflow.getHandle(broadcastWorkflowId(id)).fetchHistory();
    count += (events ?? []).filter(
      (event) =>
        event.workflowExecutionStartedEventAttributes ??
        event.workflowExecutionSignaledEventAttributes ??
        event.activityTaskScheduledEventAttributes ??
        event.timerStartedEventAttributes ??
        event.upsertWorkflowSearchAttributesEventAttributes,
    ).length;
  }
  return count;
}
