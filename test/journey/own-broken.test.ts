import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { addCredential, addPrivateEndpoint, clearOwnResources, noticed } from '../support/own-resources.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  answerChat,
  sendJson,
  startVendorServer,
  type VendorAnswer,
  type VendorServer,
} from '../support/vendor-server.ts';

let gateway: Gateway;
let vendor: VendorServer;

beforeAll(async () => {
  [gateway, vendor] = await Promise.all([startGateway(), startVendorServer()]);
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

afterEach(async () => {
  vendor.answer = answerChat;
  await clearOwnResources(gateway);
  await noticed(async () => (await completed(await askChat(gateway, {}))).usage?.is_byok === false);
});

const ONLY = { provider: { only: ['private'] } };

async function bring(): Promise<string> {
  const id = await addPrivateEndpoint(gateway, vendor.baseUrl);
  await noticed(async () => (await completed(await askChat(gateway, {}))).usage?.is_byok === true);
  return id;
}

const MEGABYTE = 'x'.repeat(1024 ** 2);

/** Sends megabytes until the other side has enough. */
function sendWithoutEnd(response: Parameters<VendorAnswer>[1], piece: string): void {
  response.on('error', () => {});
  const send = (): void => {
    while (!response.closed && response.write(piece));
    if (!response.closed) response.once('drain', send);
  };
  send();
}

const BROKEN: [what: string, answer: VendorAnswer][] = [
  [
    'HTML',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>'),
  ],
  ['broken JSON', (_, response) => void response.setHeader('content-type', 'application/json').end('{"id":')],
  ['JSON of another shape', (_, response) => sendJson(response, 200, { object: 'list', data: [] })],
  ['another type', (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png')],
  ['nothing', (_, response) => void response.end()],
  ['204', (_, response) => void response.writeHead(204).end()],
  ['a redirect', (_, response) => void response.writeHead(302, { location: 'https://a.example' }).end()],
  [
    'a body without an end',
    (_, response) => sendWithoutEnd(response.setHeader('content-type', 'application/json'), MEGABYTE),
  ],
  ['an error without an end', (_, response) => sendWithoutEnd(response.writeHead(500), MEGABYTE)],
  [
    'an event without an end',
    (_, response) => {
      response.setHeader('content-type', 'text/event-stream').write('data: ');
      sendWithoutEnd(response, MEGABYTE);
    },
  ],
  ['a cut connection', (_call, _response, request) => void request.socket.destroy()],
];

describe.each(BROKEN)("a customer's server that answers with %s", (_, answer) => {
  test('yields to the shared endpoints, and the caller gets 502 without them', async () => {
    const id = await bring();
    vendor.answer = answer;
    const whole = await completed(await askChat(gateway, {}));
    const [first] = await readEvents(await askChat(gateway, { stream: true }));
    for (const answerId of [whole.id, first!.id]) {
      const row = await ledgerRow(gateway, answerId);
      expect(row).toMatchObject({ is_byok: false, status: 'completed' });
      expect(row.provider_responses).toMatchObject([{ endpoint_id: id, is_byok: true }, { is_byok: false }]);
    }
    for (const stream of [false, true]) {
      const alone = await askChat(gateway, { ...ONLY, stream });
      expect((await errorOf(alone)).code).toBe(502);
      expect(await ledgerRow(gateway, generationIdOf(alone))).toMatchObject({
        is_byok: true,
        cost_nanos: '0',
      });
    }
  });
});

test("a customer's server that reports no usage is billed by an estimate", async () => {
  await bring();
  vendor.answer = (_, response) => {
    const message = { role: 'assistant', content: 'Hello' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    sendJson(response, 200, { id: 'c', object: 'chat.completion', created: 1, model: 'echo-1', choices });
  };
  const row = await ledgerRow(gateway, (await completed(await askChat(gateway, ONLY))).id);
  expect(row).toMatchObject({ is_byok: true, status: 'completed' });
  expect(Number(row.cost_nanos)).toBeGreaterThan(0);
});

test("a customer's failing key opens its own circuit only", async () => {
  const place = await addOrganization(gateway);
  const { token } = await addKey(gateway, place);
  const other = createCaller(gateway.origin, token);
  const secrets: [string, object][] = [
    ['bad-key', {}],
    ['good-key', { organization_id: place.organizationId, workspace_id: place.workspaceId }],
  ];
  for (const [secret, columns] of secrets) {
    const address = { base_url: vendor.baseUrl, origin: vendor.origin };
    await addCredential(gateway, secret, { provider_slug: 'local', ...address, ...columns });
  }
  vendor.answer = (call, response) => {
    if (call.key === 'good-key') answerChat(call, response);
    else sendJson(response, 401, { error: { message: 'unknown key' } });
  };
  const serves = async (caller?: typeof other) =>
    (await completed(await askChat(gateway, {}, caller))).usage?.is_byok;
  await noticed(async () => (await serves(other)) === true);
  const asked = (): number => vendor.calls.filter(({ key }) => key === 'bad-key').length;
  await noticed(async () => !(await serves()) && asked() > 0);
  for (let n = 0; n < 15; n += 1) expect(await serves()).toBe(false);
  const before = asked();
  for (let n = 0; n < 5; n += 1) expect(await serves()).toBe(false);
  expect(asked()).toBe(before);
  for (let n = 0; n < 5; n += 1) expect(await serves(other)).toBe(true);
  const foreign = await addKey(gateway, { ...place, kind: 'management' });
  const openCircuits = async (key: string): Promise<unknown> => {
    const response = await createCaller(gateway.origin, key).call('GET', '/organization/problems');
    return ((await response.json()) as { data: { circuits: unknown } }).data.circuits;
  };
  expect(await openCircuits(gateway.managementKey)).toMatchObject([{ model: 'local/echo-1', is_own: true }]);
  expect(await openCircuits(foreign.token)).toEqual([]);
  vendor.answer = answerChat;
  const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
  expect(row.provider_responses).toMatchObject([{ is_byok: false, status: 200 }]);
});
