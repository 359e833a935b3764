import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openRaw, type RawConnection } from '../api/support/raw-request.ts';
import { startApiCluster } from '../support/api-cluster.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { callFrom } from '../support/loopback-callers.ts';

/** The limit of open files of the API. Each test opens more connections than that. */
const DESCRIPTORS = 400;

let gateway: Gateway;
const open: RawConnection[] = [];

beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy();
});
afterAll(() => gateway.close());

/** The connections that are opened together. The first of several processes needs a descriptor for each of them. */
const TOGETHER = 100;

/** Opens connections and sends half of a head over each. */
async function openSilent(api: ApiProcess, address: string, connections: number): Promise<void> {
  const port = Number(new URL(api.origin).port);
  for (let left = connections; left > 0; left -= TOGETHER) {
    const opened = Array.from({ length: Math.min(left, TOGETHER) }, () => openRaw(port, address));
    open.push(...opened);
    await Promise.all(opened.map(({ connected, closed }) => Promise.race([connected, closed])));
    for (const { socket } of opened) socket.write('GET /api/v1/models HTTP/1.1\r\nHost: gateway\r\nX-Rest:');
    // Connections are handed out in their order, so those before this one have been.
    await callFrom('127.0.0.1', `${api.origin}/healthz`);
  }
}

/** Expects that another address is served, over new connections. */
async function expectService({ origin }: ApiProcess): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    const chat = await callFrom('127.0.0.1', `${origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      body: { model: 'local/chat-canned', messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(chat.status).toBe(200);
  }
  expect((await callFrom('127.0.0.1', `${origin}/healthz`)).status).toBe(200);
}

describe.each([1, 2])('an API of %d processes with a low limit of descriptors', (processes) => {
  let api: ApiProcess;

  beforeAll(async () => {
    api = await (processes === 1
      ? startApiProcess(gateway, {}, { descriptors: DESCRIPTORS })
      : startApiCluster(gateway, processes, {}, DESCRIPTORS));
  });
  afterAll(() => api.kill());

  test('answers others while one address opens more connections than it has descriptors', async () => {
    await openSilent(api, '127.0.0.2', 2 * processes * DESCRIPTORS);
    await expectService(api);
  });

  test('answers others while many addresses open more connections than it has descriptors', async () => {
    const each = (processes * DESCRIPTORS) / 16;
    for (let n = 2; n < 34; n += 1) await openSilent(api, `127.0.0.${n}`, each);
    await expectService(api);
  });

  test('logs the connection bounds of each process at its start', () => {
    const logged = api.log.filter(({ msg }) => msg === 'connections of callers are bounded');
    expect(logged).toHaveLength(processes);
    for (const line of logged) expect(line).toMatchObject({ descriptors: DESCRIPTORS });
  });
});
