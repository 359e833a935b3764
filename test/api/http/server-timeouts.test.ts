import { createServer as createHttpServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createBodyPace } from '../../../api/http/request/body-pace.ts';
import {
  type ApiServer,
  createServer,
  type RequestHandler,
  type ServerOptions,
} from '../../../api/http/server.ts';
import { openRaw } from '../support/raw-request.ts';

let server: ApiServer;
afterEach(() => server.close(0));

async function serve(handle: RequestHandler, options?: ServerOptions): Promise<number> {
  server = createServer(handle, options);
  return server.listen(0, '127.0.0.1');
}

/** More than a request that is paused takes into its buffer. */
const BODY_BYTES = 200_000;

/** Opens a connection and sends a request with so many bytes of its body. */
function post(port: number, path: string, sentBytes: number) {
  const raw = openRaw(port);
  raw.socket.write(
    `POST ${path} HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${'x'.repeat(sentBytes)}`,
  );
  return raw;
}

describe("the timeout of a request's arrival", () => {
  const limits = { requestTimeoutMs: 200, headersTimeoutMs: 100, timeoutCheckMs: 20 };

  test('answers 408 to an unfinished body, and spares a longer response', async () => {
    const begun = Promise.withResolvers<() => void>();
    const port = await serve((request, response) => {
      request.resume();
      if (request.url !== '/long') return;
      response.write('begun');
      begun.resolve(() => response.end('finished'));
    }, limits);
    const long = post(port, '/long', BODY_BYTES);
    const finish = await begun.promise;
    // It begins later than the long answer, so its time is over later as well.
    expect(await post(port, '/unfinished', 1).closed).toMatch(/^HTTP\/1\.1 408 /);
    finish();
    expect(await long.until('finished')).toContain('begun');
    long.socket.destroy();
  });

  test('answers 408 to an unfinished head', async () => {
    const port = await serve(() => {}, limits);
    const raw = openRaw(port);
    raw.socket.write('GET / HTTP/1.1\r\nHost:');
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('allows ten minutes for a request and ten seconds for its head by default', async () => {
    const seen = Promise.withResolvers<Server>();
    const port = await serve((request, response) => {
      seen.resolve((request.socket as unknown as { server: Server }).server);
      response.end();
    });
    const raw = post(port, '/', BODY_BYTES);
    expect(await seen.promise).toBeInstanceOf(createHttpServer().constructor);
    expect(await seen.promise).toMatchObject({ requestTimeout: 600_000, headersTimeout: 10_000 });
    raw.socket.destroy();
  });
});

describe('a body whose request was answered', () => {
  const pace = () => createBodyPace({ minBytes: 10, checkMs: 10, checksPerWindow: 6 });
  const answers: [string, RequestHandler][] = [
    ['answered before it was read', (request, response) => void response.end(`refused ${request.url}`)],
    [
      'answered while it was being read',
      (request, response) => {
        request.once('data', () => {
          request.pause();
          response.end(`refused ${request.url}`);
        });
      },
    ],
  ];

  test.each(answers)('loses its connection when the rest arrives too slowly: %s', async (_when, handle) => {
    const port = await serve(handle, { pace: pace() });
    const raw = post(port, '/', 1);
    expect(await raw.closed).toContain('refused');
  });

  test.each(answers)(
    'leaves its connection to the next request when the rest has arrived: %s',
    async (_when, handle) => {
      const port = await serve(handle);
      const raw = post(port, '/first', 1);
      await raw.until('refused /first');
      const next = 'POST /next HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1\r\n\r\nx';
      raw.socket.write('x'.repeat(BODY_BYTES - 1) + next);
      await raw.until('refused /next');
      raw.socket.destroy();
    },
  );
});
