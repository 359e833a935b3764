import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { broadcastWorkflowId } from '../../domain/runs.ts';
import { createLogger } from '../../platform/logger.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { askChat } from '../support/chat.ts';
import { getDestination, makeDestination, updateDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { tableTexts } from '../support/leaks.ts';
import { historyOf, historyText, shownText } from '../support/runs.ts';

/** Each would be a leak outside the tools' own requests. */
const PROMPT = 'a lighthouse made of basalt';
const SECRETS = {
  header: 'header-secret-5310',
  bearer: 'bearer-secret-8861',
  password: 'password-secret-2207',
  apiKey: 'api-key-secret-4417',
  path: 'path-secret-9914',
  query: 'query-secret-3305',
};
const NEEDLES = [PROMPT, ...Object.values(SECRETS)];

/** A tool that repeats the whole request, as debugging proxies and some validators do. */
class EchoingTool {
  received: string[] = [];
  status: number;
  server: LoopbackServer | undefined;

  constructor(status: number) {
    this.status = status;
  }

  listen: RequestListener = async (request, response) => {
    const sent = await buffer(request);
    const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString('utf8');
    this.received.push(body);
    response.writeHead(this.status, { 'x-echo': 'yes' });
    // Without content the beginning of the answer would be all that is kept of it.
    const prompt = body.slice(Math.max(0, body.indexOf(PROMPT) - 200));
    response.end(`${request.url} ${prompt}${JSON.stringify(request.headers)}`);
  };
}

const tools = {
  webhook: new EchoingTool(200),
  collector: new EchoingTool(500),
  clickhouse: new EchoingTool(400),
  datadog: new EchoingTool(403),
};

let gateway: Gateway;
let manager: Caller;
let metricsPort: number;
const logged: string[] = [];
const ids: Record<keyof typeof tools, string> = { webhook: '', collector: '', clickhouse: '', datadog: '' };

async function originOf(tool: EchoingTool): Promise<string> {
  tool.server = await startLoopbackServer(tool.listen);
  return tool.server.origin;
}

beforeAll(async () => {
  [metricsPort = 0] = await findFreePorts(1);
  const destination = { write: (line: string) => void logged.push(line) };
  gateway = await startGateway({
    worker: ['broadcast', 'maintenance'],
    logger: createLogger({ level: 'trace', name: 'test', destination }),
    env: { METRICS_PORT: String(metricsPort) },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
  const add = async (type: keyof typeof tools | 'otel-collector', config: object): Promise<string> =>
    (await makeDestination(manager, { config }, type as 'webhook')).id;
  ids.webhook = await add('webhook', {
    url: `${await originOf(tools.webhook)}/hooks/${SECRETS.path}?token=${SECRETS.query}`,
    headers: { 'x-key': SECRETS.header },
  });
  ids.collector = await add('otel-collector', {
    endpoint: `${await originOf(tools.collector)}/${SECRETS.path}/v1/traces?key=${SECRETS.query}`,
    headers: { authorization: `Bearer ${SECRETS.bearer}` },
  });
  ids.clickhouse = await add('clickhouse', {
    host: `${await originOf(tools.clickhouse)}/${SECRETS.path}`,
    database: 'traces',
    username: 'writer',
    password: SECRETS.password,
  });
  ids.datadog = await add('datadog', {
    url: `${await originOf(tools.datadog)}/${SECRETS.path}/`,
    apiKey: SECRETS.apiKey,
    mlApp: 'search',
  });
});

afterAll(async () => {
  await gateway.close();
  for (const { server } of Object.values(tools)) await server?.close();
});

const leaks = (text: string): string[] =>
  NEEDLES.filter((needle) => text.includes(needle) || text.includes(Buffer.from(needle).toString('hex')));

function delivery(tool: keyof typeof tools, wanted: Record<string, unknown>): Promise<unknown> {
  return eventually(`${tool} as ${JSON.stringify(wanted)}`, async () => {
    const found = await getDestination(manager, ids[tool]);
    return Object.entries(wanted).every(([name, value]) => found.delivery[name] === value) ? true : undefined;
  });
}

test('tools that succeed, fail or refuse receive prompts and repeat whole requests', async () => {
  const messages = [{ role: 'user', content: PROMPT }];
  await (await askChat(gateway, { messages, stream: true })).text();
  await delivery('webhook', { delivered: 1 });
  await delivery('collector', { state: 'backing_off' });
  await delivery('clickhouse', { dead_letters: 1 });
  await delivery('datadog', { state: 'needs_attention' });
  gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
  await (await askChat(gateway, { messages })).text();
  // An edit ends the waiting, so that the next attempt is made at once.
  await updateDestination(manager, ids.collector, { name: 'Again' });
  await delivery('webhook', { delivered: 2 });
  await delivery('clickhouse', { dead_letters: 2 });
  await eventually('another attempt', async () => (tools.collector.received.length > 1 ? true : undefined));
  for (const { received } of Object.values(tools)) expect(received.join()).toContain(PROMPT);
  for (const id of Object.values(ids)) await manager.call('POST', `/observability/destinations/${id}/test`);
  await manager.call('POST', `/observability/destinations/${ids.clickhouse}/dead-letters/replay`);
});

test('no log line at any level holds a secret or content', () => {
  const text = logged.join('');
  expect(text).toContain('"level"');
  expect(logged.filter((line) => leaks(line).length > 0)).toEqual([]);
});

test('no run shows a secret or content in history, details or heartbeats', async () => {
  const seen: string[] = [];
  for await (const { workflowId } of gateway.temporal.workflow.list()) {
    const text = historyText(await historyOf(gateway, workflowId)) + (await shownText(gateway, workflowId));
    expect([workflowId, leaks(text)]).toEqual([workflowId, []]);
    seen.push(workflowId);
  }
  expect(seen).toEqual(expect.arrayContaining(Object.values(ids).map(broadcastWorkflowId)));
  // Else nothing says that heartbeats were looked at.
  await eventually('a heartbeat', async () => {
    const text = await shownText(gateway, broadcastWorkflowId(ids.webhook));
    expect(leaks(text)).toEqual([]);
    return text.includes('waits for generations') ? true : undefined;
  });
});

test('no row of any table holds a secret or content', async () => {
  const texts = await tableTexts(gateway);
  expect([...texts.keys()]).toContain('broadcast_dead_letters');
  expect([...texts.values()].join('')).not.toBe('');
  for (const [name, text] of texts) expect([name, leaks(text)]).toEqual([name, []]);
});

test('no answer of the API and no metric holds a secret or content', async () => {
  const paths = Object.values(ids).flatMap((id) =>
    ['', '/deliveries', '/dead-letters'].map((rest) => `/observability/destinations/${id}${rest}`),
  );
  for (const path of [...paths, '/observability/destinations', '/audit-log', '/activity']) {
    const answer = await manager.call('GET', path);
    expect([path, answer.status, leaks(await answer.text())]).toEqual([path, 200, []]);
  }
  for (const id of Object.values(ids)) {
    const answer = await manager.call('POST', `/observability/destinations/${id}/test`);
    expect(leaks(await answer.text())).toEqual([]);
  }
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('sluice_');
  expect([...leaks(metrics), ...Object.values(ids).filter((id) => metrics.includes(id))]).toEqual([]);
});
