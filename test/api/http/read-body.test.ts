import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createBodiesInFlight } from '../../../api/http/request/bodies-in-flight.ts';
import { createBodyPace } from '../../../api/http/request/body-pace.ts';
import { readBody } from '../../../api/http/request/read-body.ts';
import { openRaw, postHead } from '../support/raw-request.ts';

const guards = { bodies: createBodiesInFlight({ maxBytes: 1000 }), pace: createBodyPace() };

test.each(['identity', 'gzip', 'br', 'zstd'])(
  'readBody rejects with client_cancelled when a body in %s breaks off',
  async (encoding) => {
    const started = Promise.withResolvers<{ reading: Promise<Buffer> }>();
    const server = createServer((request, response) =>
      started.resolve({ reading: readBody(request, response, { limitBytes: 1000 }, guards) }),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const raw = openRaw((server.address() as AddressInfo).port);
    const lines = ['Content-Type: application/json', `Content-Encoding: ${encoding}`, 'Content-Length: 100'];
    raw.socket.write(postHead(...lines));
    const { reading } = await started.promise;
    raw.socket.destroy();
    await expect(reading).rejects.toMatchObject({ code: 'client_cancelled' });
    await new Promise((resolve) => server.close(resolve));
  },
);

test('readBody rejects with client_cancelled when the caller left before the reading', async () => {
  const left = Promise.withResolvers<{ reading: Promise<Buffer> }>();
  const server = createServer((request, response) => {
    request.once('close', () =>
      left.resolve({ reading: readBody(request, response, { limitBytes: 1000 }, guards) }),
    );
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

/** Compressed bytes that decompress to nothing, so that the decompressed bytes never reach the limit. */
const EMPTY = {
  gzip: Buffer.concat(Array.from({ length: 60 }, () => gzipSync(''))),
  // The head of a frame, and 400 blocks of no bytes (RFC 8878, 3.1.1).
  zstd: Buffer.concat([Buffer.from('28b52ffd0000', 'hex'), Buffer.alloc(3 * 400)]),
};

test.each(['gzip', 'zstd'] as const)(
  'readBody rejects a chunked body in %s when its compressed bytes exceed the limit',
  async (encoding) => {
    const started = Promise.withResolvers<{ reading: Promise<Buffer> }>();
    const server = createServer((request, response) =>
      started.resolve({ reading: readBody(request, response, { limitBytes: 1000 }, guards) }),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const raw = openRaw((server.address() as AddressInfo).port);
    const lines = ['Content-Type: application/json', `Content-Encoding: ${encoding}`];
    raw.socket.write(postHead(...lines, 'Transfer-Encoding: chunked'));
    const bytes = EMPTY[encoding];
    raw.socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes]));
    const { reading } = await started.promise;
    await expect(reading).rejects.toMatchObject({ code: 'payload_too_large' });
    raw.socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  },
);
