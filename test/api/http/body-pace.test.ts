import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createBodyPace } from '../../../api/http/request/body-pace.ts';
import { openRaw, postHead } from '../support/raw-request.ts';
import { serveBodies } from '../support/serve-bodies.ts';

/** Ten bytes within six looks, each ten milliseconds apart. */
const pace = () => createBodyPace({ minBytes: 10, checkMs: 10, checksPerWindow: 6 });
const JSON_TYPE = 'Content-Type: application/json';

let close: () => Promise<unknown>;
afterEach(() => close());

async function serve() {
  const served = await serveBodies({ pace: pace() });
  close = served.close;
  return served;
}

describe('a slow body', () => {
  test.each<[string, string[], string | Buffer]>([
    ['that is small', ['Content-Length: 20'], '1'],
    ['that is large', ['Content-Length: 400000'], 'x'.repeat(100_000)],
    ['without a length', ['Transfer-Encoding: chunked'], '1\r\n1\r\n'],
    ['that is compressed', ['Content-Length: 400', 'Content-Encoding: gzip'], gzipSync('1').subarray(0, 12)],
    ['of which nothing comes', ['Content-Length: 20'], ''],
  ])('ends with 408 and closes its connection: %s', async (_which, lines, sent) => {
    const { port } = await serve();
    const raw = openRaw(port);
    raw.socket.write(postHead(JSON_TYPE, ...lines));
    raw.socket.write(sent);
    const answer = await raw.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain('body_too_slow');
  });
});

test('a body at the minimum pace is read although it takes long', async () => {
  const { port, release } = await serve();
  release();
  const raw = openRaw(port);
  let left = 2_000;
  raw.socket.write(postHead(JSON_TYPE, `Content-Length: ${left}`));
  const sending = setInterval(() => {
    raw.socket.write('x'.repeat(10));
    left -= 10;
    if (left === 0) clearInterval(sending);
  }, 2);
  expect(await raw.until('read 2000')).toMatch(/^HTTP\/1\.1 200 /);
  raw.socket.destroy();
});

test('a slow answer to a whole body still arrives with 200', async () => {
  const { port, release, untilRead } = await serve();
  const whole = openRaw(port);
  whole.socket.write(`${postHead(JSON_TYPE, 'Content-Length: 2')}{}`);
  await untilRead(1);
  const slow = openRaw(port);
  slow.socket.write(postHead(JSON_TYPE, 'Content-Length: 2'));
  expect(await slow.closed).toMatch(/^HTTP\/1\.1 408 /);
  release();
  expect(await whole.until('read 2')).toMatch(/^HTTP\/1\.1 200 /);
  whole.socket.destroy();
});

test('the pace ignores a paused body, and cuts it off after it flows without bytes', async () => {
  const watch = pace();
  const cut: string[] = [];
  const paused = Promise.withResolvers<() => void>();
  const over = { slow: Promise.withResolvers<void>(), paused: Promise.withResolvers<void>() };
  const server = createServer((request) => {
    const name = request.url === '/paused' ? 'paused' : 'slow';
    request.resume();
    if (name === 'paused') paused.resolve(() => request.pause().resume());
    if (name === 'paused') request.pause();
    watch.watch(request, () => {
      cut.push(name);
      over[name].resolve();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const { port } = server.address() as AddressInfo;
  for (const path of ['/paused', '/slow']) {
    openRaw(port).socket.write(`POST ${path} HTTP/1.1\r\nHost: gateway\r\nContent-Length: 20\r\n\r\n`);
    if (path === '/paused') await paused.promise;
  }
  await over.slow.promise;
  expect(cut).toEqual(['slow']);
  (await paused.promise)();
  await over.paused.promise;
  expect(cut).toEqual(['slow', 'paused']);
});
