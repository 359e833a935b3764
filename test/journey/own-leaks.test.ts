import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { createLogger } from '../../platform/logger.ts';
import { addPrivateEndpoint, noticed } from '../support/own-resources.ts';
import { makeByokKey } from '../support/byok.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { addVideoModel } from '../support/catalog.ts';
import { askChat } from '../support/chat.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { leakSearch, runTexts, tableTexts } from '../support/leaks.ts';
import { storedObjects } from '../support/stored-objects.ts';
import { answerChat, sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';
import { updateWorkspace } from '../support/workspaces.ts';

const PLAIN = 'planted-plain-secret-5310-end';
const VIDEO = 'planted-video-secret-8861-end';
const AZURE = 'planted-azure-secret-2207-end';
const SECRETS = [PLAIN, VIDEO, AZURE];

let gateway: Gateway;
let manager: Caller;
let vendor: VendorServer;
let tool: VendorServer;
let metricsPort: number;
const logged: string[] = [];
const answers: string[] = [];

beforeAll(async () => {
  [metricsPort = 0] = await findFreePorts(1);
  [vendor, tool] = await Promise.all([startVendorServer(), startVendorServer()]);
  tool.answer = (_, response) => void response.end();
  const destination = { write: (line: string) => void logged.push(line) };
  gateway = await startGateway({
    worker: ['broadcast', 'maintenance', 'video'],
    logger: createLogger({ level: 'trace', name: 'test', destination }),
    env: { METRICS_PORT: String(metricsPort) },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
  await gateway.database.query(
    `insert into providers (slug, name, adapter, facts, source) values ('azure', 'Azure', 'azure', '{}', 'bundled')
     on conflict do nothing`,
  );
  await addVideoModel(gateway, 'test/own-clip', [{ provider: 'second', adapter: 'openai-compatible' }]);
  await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: true });
  await makeDestination(manager, { config: { url: tool.origin } }, 'webhook');
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([vendor.close(), tool.close()]);
});

const leaks = leakSearch(SECRETS);

async function ask(body: object, target = '/chat/completions'): Promise<number> {
  const messages = [{ role: 'user', content: 'Hello' }];
  const shared = target === '/embeddings' ? { input: 'Hello' } : { messages };
  const model = target === '/embeddings' ? 'local/embed-1' : 'local/echo-1';

  const answer = await gateway.call('POST', target, { body: { model, ...shared, ...body } });
  answers.push(await answer.text(), JSON.stringify([...answer.headers]));
  return answer.status;
}

/** Asks in every way while the vendor repeats the secret as this says. */
async function askEveryWay(): Promise<void> {
  for (const provider of [{}, { only: ['private'] }, { allow_fallbacks: false }]) {
    await ask({ provider });
    await ask({ provider, stream: true });
    await ask({ provider }, '/embeddings');
  }
}

test('a vendor receives the secrets, and repeats them in every kind of answer', async () => {
  await makeByokKey(manager, { provider: 'local', key: PLAIN, base_url: vendor.baseUrl });
  await makeByokKey(manager, { provider: 'openai-compatible', key: PLAIN, base_url: vendor.baseUrl });
  const azure = JSON.stringify({ api_key: AZURE, endpoint_url: vendor.origin, api_version: '2024-10-21' });
  await eventually('the provider in the catalog', async () => {
    const body = { provider: 'azure', key: azure };
    return (await manager.call('POST', '/byok', { body })).status === 201 ? true : undefined;
  });
  await addPrivateEndpoint(gateway, vendor.baseUrl);
  await addPrivateEndpoint(gateway, null, { provider_slug: 'azure', upstream_model_id: 'deployed' });
  const said = { messages: [{ role: 'user', content: 'seen' }] };

  await noticed(async () => {
    vendor.calls.length = 0;
    vendor.answer = (_, response) => sendJson(response, 500, {});
    await (await askChat(gateway, said)).text();
    return new Set(vendor.calls.map(({ key }) => key)).size === 2;
  });
  const repeat = (key = '') =>
    `Refused: Authorization: Bearer ${key}, ${Buffer.from(key).toString('base64')}`;
  for (const status of [200, 302, 400, 401, 404, 422, 429, 500]) {
    vendor.answer = ({ key }, response) =>
      sendJson(response, status, { error: { message: repeat(key), code: key } });
    await askEveryWay();
  }
  vendor.answer = ({ key }, response) => void response.writeHead(200, { 'content-type': key }).end(key);
  await askEveryWay();
  vendor.answer = ({ key }, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`event: error\ndata: ${key}\n\n`);
  await askEveryWay();
  vendor.answer = ({ key }, _, request) => void request.socket.end(`${key} is no HTTP`);
  await askEveryWay();
  vendor.answer = answerChat;
  expect(await ask({})).toBe(200);
  expect(await ask({ stream: true })).toBe(200);
  expect(new Set(vendor.calls.map(({ key }) => key))).toEqual(new Set([PLAIN, AZURE]));
});

test('a video vendor receives its secret, and repeats it in states and errors', async () => {
  await makeByokKey(manager, { provider: 'second', key: VIDEO, base_url: vendor.baseUrl });
  const video = (status: string, error: object | null = null) => ({
    id: 'video_1',
    object: 'video',
    status,
    error,
  });
  vendor.answer = ({ key, path: asked }, response) => {
    if (asked === '/v1/videos') return sendJson(response, 200, video('queued'));
    const polls = vendor.calls.filter((call) => call.path === asked).length;
    if (polls === 1) return sendJson(response, 200, video(`at ${key}`));
    const failed = video('failed', { code: key, message: `Refused ${key}` });
    return sendJson(response, 200, failed);
  };
  const { id } = await submit(gateway, { model: 'test/own-clip' });
  await eventually('the end of the job', async () => {
    const text = await (await gateway.call('GET', `/videos/${id}`)).text();
    answers.push(text);
    return text.includes('"failed"') ? true : undefined;
  });
  expect(vendor.calls.filter(({ key }) => key === VIDEO).length).toBeGreaterThan(1);
  vendor.answer = ({ key }, response) =>
    sendJson(response, 400, { error: { message: `Bearer ${key}`, code: key } });
  answers.push(JSON.stringify(await submit(gateway, { model: 'test/own-clip' })));
  await eventually('the bodies at the webhook', async () => (tool.calls.length > 0 ? true : undefined));
});

test('no answer and no payload at a tool holds a secret', () => {
  expect(answers.join()).toContain('Refused');
  expect(answers.filter((text) => leaks(text).length > 0)).toEqual([]);
  expect(tool.calls.filter(({ body }) => leaks(body).length > 0)).toEqual([]);
});

test('no line of the log holds a secret at any level', () => {
  expect(logged.join('')).toContain('request failed');
  expect(logged.filter((line) => leaks(line).length > 0)).toEqual([]);
});

test('no row of any table holds a secret', async () => {
  const texts = await tableTexts(gateway);
  expect([...texts.keys()]).toContain('generation_details');
  for (const [name, text] of texts) expect([name, leaks(text)]).toEqual([name, []]);
});

test('no stored object holds a secret', async () => {
  const objects = await storedObjects(gateway.objectsFolder);
  expect(objects.length).toBeGreaterThan(0);
  expect(objects.filter(({ text }) => leaks(text).length > 0)).toEqual([]);
});

test('no run of a workflow and no metric holds a secret', async () => {
  const runs = await runTexts(gateway);
  expect(runs.size).toBeGreaterThan(1);
  for (const [id, text] of runs) expect([id, leaks(text)]).toEqual([id, []]);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('sluice_');
  expect(leaks(metrics)).toEqual([]);
});
