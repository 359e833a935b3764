import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addImageModel, addVideoModel } from '../support/catalog.ts';
import { type EgressScene, startEgressScene, WITH_KEY } from '../support/egress-scene.ts';
import { eventually } from '../support/eventually.ts';
import { ALL_QUEUES, type Gateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { addCredential, addPrivateEndpoint, clearOwnResources } from '../support/own-resources.ts';
import { answerChat, sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const MARK = /^[\w-]{22}$/;

let scene: EgressScene;
let gateway: Gateway;
let vendor: VendorServer;
/** The headers that arrived, by path. */
const received = new Map<string, IncomingHttpHeaders>();

beforeAll(async () => {
  scene = await startEgressScene({
    worker: ALL_QUEUES,
    bootstrap: { entitlements: ['interns', 'private_endpoints'] },
    env: { PROVIDER_SECOND_API_KEY: 'upstream-key' },
  });
  ({ gateway } = scene);
  vendor = await startVendorServer((call, response, request) => {
    received.set(call.path, request.headers);
    const elsewhere = `http://localhost:${new URL(vendor.origin).port}/picture.png`;
    if (call.path === '/redirect.png') return void response.writeHead(302, { location: elsewhere }).end();
    if (call.path === '/picture.png') return void response.end(PNG);
    if (call.path.endsWith('/images/generations'))
      return sendJson(response, 200, { created: 1, data: [{ url: `${vendor.origin}/redirect.png` }] });
    if (call.path.endsWith('/chat/completions')) return answerChat(call, response);
    sendJson(response, 400, { error: { message: 'no' } });
  });
});

afterAll(async () => {
  await scene.close();
  await vendor.close();
});

beforeEach(async () => {
  received.clear();
  await clearOwnResources(gateway);
});

const messages = [{ role: 'user', content: 'Hello there' }];
const hopsAt = (path: string) => received.get(path)?.['sluice-hops'];

/** Chats until the private endpoint at the vendor serves. */
async function chatAtVendor(fields: object, headers: Record<string, string> = {}): Promise<void> {
  await addPrivateEndpoint(gateway, vendor.baseUrl);
  await eventually('a chat at the vendor', async () => {
    const body = { model: 'local/echo-1', messages, ...fields };
    await (await gateway.call('POST', '/chat/completions', { body, headers })).text();
    return received.get('/v1/chat/completions');
  });
}

test.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])("a %s chat carries the gateway's mark and never the gateway's name", async (_how, fields) => {
  await chatAtVendor(fields);
  expect(hopsAt('/v1/chat/completions')).toMatch(MARK);
  expect(received.get('/v1/chat/completions')).not.toHaveProperty('via');
  expect(JSON.stringify(received.get('/v1/chat/completions'))).not.toContain('gateway.example');
});

test("the marks of other gateways stay before the gateway's own mark", async () => {
  await chatAtVendor({}, { 'sluice-hops': 'another-gateway' });
  expect(hopsAt('/v1/chat/completions')).toMatch(/^another-gateway, [\w-]{22}$/);
});

test('a fetch of media carries the mark, even after a redirect to another origin', async () => {
  const picture = { type: 'image_url', image_url: { url: `${vendor.origin}/redirect.png` } };
  await chatAtVendor({ messages: [{ role: 'user', content: [picture] }] });
  expect(hopsAt('/redirect.png')).toMatch(MARK);
  expect(hopsAt('/picture.png')).toBe(hopsAt('/redirect.png'));
});

test('a fetch of a picture that a vendor names carries the mark', async () => {
  const endpoint = { provider: 'drawing', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addImageModel(gateway, 'drawing/image', [endpoint]);
  const body = { model: 'drawing/image', prompt: 'a boat' };
  const headers = { 'sluice-hops': 'another-gateway' };
  expect((await gateway.call('POST', '/images', { body, headers })).status).toBe(200);
  expect(hopsAt('/v1/images/generations')).toMatch(/^another-gateway, [\w-]{22}$/);
  expect(hopsAt('/redirect.png')).toBe(hopsAt('/v1/images/generations'));
  expect(hopsAt('/picture.png')).toBe(hopsAt('/redirect.png'));
});

test("an intern's egress request carries the mark", async () => {
  await scene.send('GET', '/', { headers: { ...WITH_KEY, 'sluice-hops': 'another-gateway' } });
  expect(scene.host.requests.at(-1)?.headers['sluice-hops']).toMatch(/^another-gateway, [\w-]{22}$/);
});

test('the submission of a video job carries the hops of its request', async () => {
  await addVideoModel(gateway, 'test/clip', [{ provider: 'second', adapter: 'openai-compatible' }]);
  const at = { provider_slug: 'second', base_url: vendor.baseUrl };
  await addCredential(gateway, 'customer-key', { ...at, is_required: true });
  await eventually('a submission to the vendor', async () => {
    const job = await submit(gateway, { model: 'test/clip' }, { 'sluice-hops': 'another-gateway' });
    await ended(gateway, job.id);
    return received.get('/v1/videos');
  });
  expect(hopsAt('/v1/videos')).toMatch(/^another-gateway, [\w-]{22}$/);
});

test('a 508 from the vendor fails a video job without a second submission', async () => {
  await addVideoModel(gateway, 'test/two-clips', [
    { provider: 'local' },
    { provider: 'second', adapter: 'openai-compatible' },
  ]);
  gateway.upstream.addFaults({ kind: 'status', on: 'create', status: 508 });
  const before = gateway.upstream.requests('create').length;
  const job = await submit(gateway, { model: 'test/two-clips' });
  expect(await ended(gateway, job.id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('came back to a gateway'),
  });
  expect(gateway.upstream.requests('create').length).toBe(before + 1);
});
