import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type BodiesInFlight, createBodiesInFlight } from '../../api/request/bodies-in-flight.ts';
import { readBody } from '../../api/request/read-body.ts';
import { eventually } from '../support/eventually.ts';
import { openRaw, postHead } from './support/raw-request.ts';

test.each(['identity', 'gzip', 'br'])('a body in %s that breaks off ends the reading', async (encoding) => {
  const started = Promise.withResolvers<{ reading: Promise<Buffer> }>();
  const server = createServer((request, response) =>
    started.resolve({ reading: readBody(request, response, 1000) }),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const raw = openRaw((server.address() as AddressInfo).port);
  const lines = ['Content-Type: application/json', `Content-Encoding: ${encoding}`, 'Content-Length: 100'];
  raw.socket.write(postHead(...lines));
  const { reading } = await started.promise;
  raw.socket.destroy();
  await expect(reading).rejects.toMatchObject({ code: 'client_cancelled' });
  await new Promise((resolve) => server.close(resolve));
});

test('a caller who has left before the reading begins ends it', async () => {
  const left = Promise.withResolvers<{ reading: Promise<Buffer> }>();
  const server = createServer((request, response) => {
    request.once('close', () => left.resolve({ reading: readBody(request, response, 1000) }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const raw = openRaw((server.address() as AddressInfo).port);
  raw.socket.write(postHead('Content-Type: application/json', 'Content-Length: 100'));
  await raw.connected;
  server.once('request', () => raw.socket.destroy());
  const { reading } = await left.promise;
  await expect(reading).rejects.toMatchObject({ code: 'client_cancelled' });
  await new Promise((resolve) => server.close(resolve));
});

describe('bodies of many requests at once', () => {
  const KIB = 1024;
  let server: Server;

  /** Answers 200 with what it read, but holds the answers back until they are let go. */
  async function serve(bodies: BodiesInFlight) {
    const held = Promise.withResolvers<void>();
    const reads: number[] = [];
    server = createServer((request, response) => {
      readBody(request, response, 400 * KIB, bodies)
        .then(async ({ length }) => {
          reads.push(length);
          await held.promise;
          response.end(`read ${length}`);
        })
        .catch(({ code, options }: { code: string; options: { headers?: Record<string, string> } }) => {
          response.writeHead(code === 'unavailable' ? 503 : 400, options.headers).end();
        });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const post = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    return { port, held, reads, post };
  }

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const large = new Uint8Array(200 * KIB);

  test('are let in while there is room, and again when an answer is out', async () => {
    const { post, held, reads } = await serve(createBodiesInFlight(500 * KIB));
    const first = [post(large), post(large)];
    await eventually('two bodies', async () => (reads.length === 2 ? true : undefined));
    const refused = await post(large).catch(() => null);
    expect([null, 503]).toContain(refused?.status ?? null);
    held.resolve();
    for (const answer of first) expect(await (await answer).text()).toBe(`read ${200 * KIB}`);
    expect((await post(large)).status).toBe(200);
  });

  test('are refused unread, with the time to come back', async () => {
    const { port } = await serve(createBodiesInFlight(100 * KIB));
    const raw = openRaw(port);
    raw.socket.write(postHead('Content-Type: application/json', `Content-Length: ${200 * KIB}`));
    const answer = await raw.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/retry-after: 5/i);
  });

  test('are let in when they are small, however full it is', async () => {
    const { post, held } = await serve(createBodiesInFlight(0));
    held.resolve();
    expect((await post(new Uint8Array(64 * KIB))).status).toBe(200);
  });

  test('count as they come, where their length is not said', async () => {
    const { port } = await serve(createBodiesInFlight(100 * KIB));
    const raw = openRaw(port);
    raw.socket.write(postHead('Content-Type: application/json', 'Transfer-Encoding: chunked'));
    const chunk = 'a'.repeat(16 * KIB);
    for (let sent = 0; sent <= 100 * KIB; sent += chunk.length) raw.socket.write(`4000\r\n${chunk}\r\n`);
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 503 /);
  });

  test('count as what they inflate to', async () => {
    const { post } = await serve(createBodiesInFlight(100 * KIB));
    const bomb = new Uint8Array(gzipSync(large));
    expect((await post(bomb, { 'content-encoding': 'gzip' })).status).toBe(503);
  });

  test('give their room back when the caller leaves in the middle', async () => {
    const { port, post, held } = await serve(createBodiesInFlight(200 * KIB));
    const raw = openRaw(port);
    raw.socket.write(postHead('Content-Type: application/json', `Content-Length: ${200 * KIB}`) + 'aaaa');
    await raw.connected;
    raw.socket.destroy();
    held.resolve();
    await eventually('room', async () => {
      const answer = await post(large).catch(() => null);
      return answer?.status === 200 ? true : undefined;
    });
  });
});
