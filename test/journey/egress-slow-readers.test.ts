import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import { type EgressScene, HOST, startEgressScene } from '../support/egress-scene.ts';
import { eventually } from '../support/eventually.ts';

const KIB = 1024;
const LONG_NAME = 'n'.repeat(255);

let scene: EgressScene;

beforeAll(async () => {
  scene = await startEgressScene();
  await scene.addSecret(LONG_NAME, 'a');
});
afterAll(() => scene.close());

/** Sends a request with the secret of this name, and reads nothing of the answer yet. */
async function ask(name: string): Promise<net.Socket> {
  const { hostname, port } = new URL(scene.gateway.origin);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  socket.write(
    [
      `GET /api/v1/interns/${scene.intern.id}/egress/https/${HOST}:${scene.host.port}/ HTTP/1.1`,
      `host: ${hostname}:${port}`,
      `sluice-authorization: Bearer ${scene.key.token}`,
      `x-api-key: {{secret:${name}}}`,
      '\r\n',
    ].join('\r\n'),
  );
  return socket;
}

/** Reads the beginning of an answer, and then no more. */
async function readBeginning(reader: net.Socket): Promise<void> {
  let bytes = 0;
  while (bytes < 32 * KIB) {
    const chunk: Buffer | null = reader.read();
    if (chunk === null) await once(reader, 'readable');
    else bytes += chunk.length;
  }
}

/** Makes the host answer with these bytes, and returns the answer, which is not ended. */
function answerOf(body: Buffer): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  scene.host.answer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write(body);
    resolve(response);
  });
  return promise;
}

/** The length that the log gives for the latest answer, once that is over. */
async function loggedBytes(): Promise<number> {
  return eventually('the end in the log', async () => {
    const [latest] = await scene.log();
    return latest?.bytes ?? undefined;
  });
}

/** Expects that the gateway still runs: a rejection that nobody handles would end this process. */
async function expectHealth(): Promise<void> {
  scene.host.answer((_request, response) => void response.end('well'));
  expect(await (await scene.send('GET', '/')).text()).toBe('well');
}

const bodies: [string, string, Buffer][] = [
  ['60,000 bytes that become 16 MB', LONG_NAME, Buffer.alloc(60_000, 'a')],
  ...[66, 70, 100, 1_000].map((size): [string, string, Buffer] => [
    `${size} KiB`,
    'key',
    Buffer.alloc(size * KIB, 'x'),
  ]),
];

test('a short response that placeholders make long stays open until its reader has it', async () => {
  scene.host.answer((_request, response) => void response.end(Buffer.alloc(16_000, 'a')));
  const reader = await ask(LONG_NAME);
  await readBeginning(reader);
  const [latest] = await scene.log();
  expect(latest).toMatchObject({ bytes: null });
  reader.destroy();
  expect(await loggedBytes()).toBe(16_000);
  await expectHealth();
});

test.each(bodies)(
  'a reader that stops within %s and leaves does not harm the process',
  async (_, name, body) => {
    const answered = answerOf(body);
    const reader = await ask(name);
    const closed = once(await answered, 'close');
    await readBeginning(reader);
    reader.destroy();
    await closed;
    expect(await loggedBytes()).toBeLessThanOrEqual(body.length);
    await expectHealth();
  },
);

test.each(bodies)(
  'a host that disconnects while its reader pauses within %s has its response cut off',
  async (_, name, body) => {
    const answered = answerOf(body);
    const reader = await ask(name);
    const response = await answered;
    await readBeginning(reader);
    response.destroy();
    reader.resume();
    let end = '';
    reader.on('data', (chunk: Buffer) => (end = `${end}${chunk.toString('latin1')}`.slice(-5)));
    await once(reader, 'close');
    expect(end).not.toBe('0\r\n\r\n');
    expect(await loggedBytes()).toBeLessThanOrEqual(body.length);
    await expectHealth();
  },
);

test('a reader that reads nothing applies back-pressure to the host', async () => {
  const total = 60 * KIB * KIB;
  const stalled = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let written = 0;
  scene.host.answer(async (_request, response) => {
    response.once('close', closed.resolve);
    const chunk = Buffer.alloc(64 * KIB, 'x');
    for (; written < total && !response.destroyed; written += chunk.length) {
      if (response.write(chunk)) continue;
      // Nothing is taken for so long: the sockets between are full.
      const timer = setTimeout(stalled.resolve, 1_000);
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
      clearTimeout(timer);
    }
    response.end();
    stalled.resolve();
  });
  const reader = await ask('key');
  await stalled.promise;
  expect(written).toBeLessThan(total / 2);
  reader.destroy();
  await closed.promise;
  expect(await loggedBytes()).toBeLessThan(total / 2);
  await expectHealth();
});
