import { afterEach, expect, test } from '@jest/globals';
import { goneSignal } from '../../../api/http/request/gone-signal.ts';
import { type ApiServer, createServer } from '../../../api/http/server.ts';
import { CutOffError } from '../../../platform/cut-off.ts';
import { EventStream, type Pieces } from '../../../platform/event-stream.ts';
import { openRaw, type RawConnection } from '../support/raw-request.ts';

let server: ApiServer;
afterEach(() => server.close(1));

async function* endless(): Pieces {
  for (;;) yield 'x'.repeat(256 * 1024);
}

/** Serves one client, and resolves with why its signal was aborted. */
async function serve(stalledAfterMs?: number): Promise<{ client: RawConnection; reason: Promise<unknown> }> {
  const aborted = Promise.withResolvers<unknown>();
  const begun = Promise.withResolvers<void>();
  server = createServer((_request, response) => {
    const signal = goneSignal(response);
    signal.addEventListener('abort', () => aborted.resolve(signal.reason));
    if (stalledAfterMs !== undefined) void new EventStream(endless(), { stalledAfterMs }).sendTo(response);
    begun.resolve();
  });
  const client = openRaw(await server.listen(0, '127.0.0.1'));
  if (stalledAfterMs !== undefined) client.socket.pause();
  client.socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
  await begun.promise;
  return { client, reason: aborted.promise };
}

test('goneSignal aborts with AbortError when the client leaves', async () => {
  const { client, reason } = await serve();
  client.socket.destroy();
  expect(await reason).toMatchObject({ name: 'AbortError' });
});

test('goneSignal aborts with CutOffError when the server closes the connection', async () => {
  const { reason } = await serve();
  await server.close(1);
  expect(await reason).toBeInstanceOf(CutOffError);
});

test('goneSignal aborts with CutOffError when a stalled client is cut off', async () => {
  const { client, reason } = await serve(20);
  expect(await reason).toBeInstanceOf(CutOffError);
  client.socket.destroy();
});
