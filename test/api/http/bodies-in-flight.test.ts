import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type BodyRoom, createBodiesInFlight } from '../../../api/http/request/bodies-in-flight.ts';
import { eventually } from '../../support/eventually.ts';
import { openRaw, postHead } from '../support/raw-request.ts';
import { KIB, serveBodies } from '../support/serve-bodies.ts';

let served: Awaited<ReturnType<typeof serveBodies>>;
const serveRoom = async (maxBytes: number, largest: Omit<BodyRoom, 'maxBytes'> = {}) => {
  served = await serveBodies({ bodies: createBodiesInFlight({ maxBytes, ...largest }) });
  return served;
};
afterEach(() => served.close());

const large = new Uint8Array(200 * KIB);
const [ofA, ofB] = [{ organization: 'a' }, { organization: 'b' }];
const JSON_TYPE = 'Content-Type: application/json';

/** Sends the head of a body of 200 KiB, and one byte of it. */
function announce(port: number, ...lines: string[]) {
  const raw = openRaw(port);
  raw.socket.write(`${postHead(JSON_TYPE, `Content-Length: ${200 * KIB}`, ...lines)}a`);
  return raw;
}

/** Sends a chunked body without ever ending it. */
function sendChunks(port: number, chunkBytes: number, count: number, ...lines: string[]) {
  const raw = openRaw(port);
  const chunk = `${chunkBytes.toString(16)}\r\n${'a'.repeat(chunkBytes)}\r\n`;
  raw.socket.write(postHead(JSON_TYPE, 'Transfer-Encoding: chunked', ...lines) + chunk.repeat(count));
  return raw;
}

describe('the memory for bodies in flight', () => {
  test('ignores announced bytes that never arrive', async () => {
    const { port, post, release, untilBegun } = await serveRoom(800 * KIB);
    const [ofOrganization, ofStrangers] = [
      Array.from({ length: 10 }, () => announce(port, 'Organization: a')),
      Array.from({ length: 10 }, () => announce(port)),
    ];
    await untilBegun(20);
    release();
    expect((await post(large, ofA))?.status).toBe(200);
    expect((await post(large, ofB))?.status).toBe(200);
    for (const { socket } of [...ofOrganization, ...ofStrangers]) socket.destroy();
  });

  test('counts bytes as they arrive, and answers 429 to a chunked body above the share', async () => {
    const { port } = await serveRoom(400 * KIB);
    const raw = sendChunks(port, 16 * KIB, 7, 'Organization: a');
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 429 /);
  });

  test('counts decompressed bytes, and answers 429 to a gzip bomb', async () => {
    const { post } = await serveRoom(400 * KIB);
    const bomb = new Uint8Array(gzipSync(large));
    expect((await post(bomb, { ...ofA, 'content-encoding': 'gzip' }))?.status).toBe(429);
  });

  test('counts each chunk, and answers 429 to hundreds of one-byte chunks', async () => {
    const { port } = await serveRoom(400 * KIB);
    const raw = sendChunks(port, 1, 300, 'Organization: a');
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 429 /);
  });

  test('admits bodies of 64 KiB even when its size is 0', async () => {
    const { post, release } = await serveRoom(0);
    release();
    expect((await post(new Uint8Array(64 * KIB), ofA))?.status).toBe(200);
    expect((await post(new Uint8Array(64 * KIB)))?.status).toBe(200);
  });

  test("releases a body's bytes when its caller leaves", async () => {
    const { port, post, release, untilBegun } = await serveRoom(800 * KIB);
    const raw = sendChunks(port, 16 * KIB, 10, 'Organization: a');
    await untilBegun(1);
    raw.socket.destroy();
    release();
    await eventually('room', async () => ((await post(large, ofA))?.status === 200 ? true : undefined));
  });
});

describe('a share of the memory for bodies', () => {
  test('limits one organization to a quarter with 429, and admits another one', async () => {
    const { port, post, release, untilRead } = await serveRoom(1200 * KIB);
    const first = post(large, ofA);
    await untilRead(1);
    const refused = await sendChunks(port, 64 * KIB, 2, 'Organization: a').closed;
    expect(refused).toMatch(/^HTTP\/1\.1 429 /);
    expect(refused).toMatch(/retry-after: 5\r\n/i);
    expect(refused).toContain('too_many_bytes_of_organization');
    const other = post(large, ofB);
    await untilRead(2);
    release();
    expect(await (await first)?.text()).toBe(`read ${200 * KIB}`);
    expect((await other)?.status).toBe(200);
    expect((await post(large, ofA))?.status).toBe(200);
  });

  test('limits callers without a key to a sixteenth with 503, and admits keys', async () => {
    const { port, post, release, untilRead } = await serveRoom(16 * 250 * KIB);
    const first = post(large);
    await untilRead(1);
    const refused = await sendChunks(port, 64 * KIB, 2).closed;
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/retry-after: 5\r\n/i);
    const keyed = post(large, ofA);
    await untilRead(2);
    release();
    expect((await first)?.status).toBe(200);
    expect((await keyed)?.status).toBe(200);
    expect((await post(large))?.status).toBe(200);
  });

  test('admits one body of the largest size when the share is smaller', async () => {
    const { post, release, untilRead } = await serveRoom(100 * KIB, {
      largestBytes: 200 * KIB,
      largestKeylessBytes: 200 * KIB,
    });
    const stranger = post(large);
    await untilRead(1);
    const refused = await post(large, ofA);
    expect(refused?.status ?? 503).toBe(503);
    release();
    expect((await stranger)?.status).toBe(200);
    expect((await post(large, ofA))?.status).toBe(200);
  });

  test('answers 503 to every organization when the whole memory is full', async () => {
    const { port, post, release, untilRead } = await serveRoom(800 * KIB);
    const full = ['a', 'b', 'c', 'd'].map((organization) => post(large, { organization }));
    await untilRead(4);
    const refused = await sendChunks(port, 64 * KIB, 2, 'Organization: e').closed;
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toContain('too_many_bytes_in_flight');
    release();
    for (const answer of full) expect((await answer)?.status).toBe(200);
  });
});
