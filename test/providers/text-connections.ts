import { describe, expect, test } from '@jest/globals';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { eventually } from '../support/eventually.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { closed, heldBy, newRequestId, timedOut } from './held-call.ts';
import { chunksOf, failureOf, type TextAdapterUnderTest, wordsOf } from './text-adapter-under-test.ts';

const STREAMS = 300;

export function describeTextConnections(adapter: TextAdapterUnderTest<VendorStandIn>): void {
  const ways = {
    complete: (baseUrl?: string, context = adapter.newContext()) =>
      adapter.chat(baseUrl).complete(adapter.newRequest(), context),
    stream: (baseUrl?: string, context = adapter.newContext()) =>
      adapter.chat(baseUrl).stream(adapter.newRequest(), context),
  };

  describe.each(Object.entries(ways))('a connection to %s', (_, call) => {
    test('fails as not_connected when its port is closed', async () => {
      const gone = await startLoopbackServer(() => {});
      await gone.close();
      const error = await failureOf(call(`${gone.origin}/v1`));
      expect(error).toMatchObject({ code: 'not_connected', sent: false, retryable: true });
    });

    test('fails as not_connected when TLS fails', async () => {
      const baseUrl = adapter.client.baseUrl.replace('http:', 'https:');
      expect(await failureOf(call(baseUrl))).toMatchObject({ code: 'not_connected', sent: false });
    });

    test('times out and closes when the vendor stays silent', async () => {
      const request = await timedOut(
        adapter.client,
        { kind: 'hang', on: 'chat' },
        ({ requestId, timeoutMs }) => {
          const facts = { requestId, attemptMs: timeoutMs, firstByteMs: timeoutMs };
          return call(undefined, adapter.newContext(facts));
        },
      );
      await closed(request);
    });

    test('fails as aborted and closes when the caller aborts', async () => {
      adapter.fault({ kind: 'hang', on: 'chat' });
      const [stop, requestId] = [new AbortController(), newRequestId()];
      const error = failureOf(call(undefined, adapter.newContext({ signal: stop.signal, requestId })));
      const request = await heldBy(adapter.client, requestId);
      stop.abort();
      expect(await error).toMatchObject({ code: 'aborted', sent: true, retryable: false });
      await closed(request);
    });

    test('carries no request when the caller has already aborted', async () => {
      const before = adapter.client.upstream.requests('chat').length;
      const context = adapter.newContext({ signal: AbortSignal.abort() });
      expect(await failureOf(call(undefined, context))).toMatchObject({ code: 'aborted', sent: false });
      expect(adapter.client.upstream.requests('chat')).toHaveLength(before);
    });

    test('carries no request when the caller aborts while it opens', async () => {
      let asked = 0;
      const vendor = await startLoopbackServer(() => (asked += 1));
      const stop = new AbortController();
      const error = failureOf(call(vendor.origin, adapter.newContext({ signal: stop.signal })));
      stop.abort();
      expect(await error).toMatchObject({ code: 'aborted', sent: false });
      // The next caller is served: the first one's request is not in the way.
      const next = new AbortController();
      const second = failureOf(call(vendor.origin, adapter.newContext({ signal: next.signal })));
      await eventually('the second caller is heard', async () => (asked > 0 ? true : undefined));
      next.abort();
      await second;
      expect(asked).toBe(1);
      await vendor.close();
    });
  });

  describe('connections', () => {
    test('serve several requests in turn, also after a 429', async () => {
      const vendor = await startLoopbackServer((request, response) => {
        request.resume().on('end', () => {
          const wish = request.headers['x-client-request-id'];
          const streamed = wish === 'stream';
          response.statusCode = wish === 'refusal' ? 429 : 200;
          response.setHeader('content-type', streamed ? 'text/event-stream' : 'application/json');
          response.end(streamed ? adapter.bodies.stream : adapter.bodies.whole);
        });
      });
      try {
        for (let call = 0; call < 10; call += 1) {
          await ways.complete(vendor.origin);
          await failureOf(ways.complete(vendor.origin, { ...adapter.newContext(), requestId: 'refusal' }));
          await chunksOf(await ways.stream(vendor.origin, { ...adapter.newContext(), requestId: 'stream' }));
        }
        // Each is free again one turn of the event loop after its answer.
        expect(vendor.connections()).toBeLessThanOrEqual(2);
      } finally {
        await vendor.close();
      }
    });

    test('let a new request through beside 300 open streams', async () => {
      adapter.fault({ kind: 'hang-stream', events: 2, times: STREAMS });
      const stop = new AbortController();
      const chat = adapter.chat();
      const ask = (context: LiveCallContext) => chat.stream(adapter.newRequest(), context);
      const context = adapter.newContext({ signal: stop.signal });
      const streams = await Promise.all(Array.from({ length: STREAMS }, () => ask(context)));
      expect(wordsOf(await chunksOf(await ask(adapter.newContext())))).toBe('You said: A lighthouse');
      stop.abort();
      const errors = await Promise.all(streams.map((stream) => failureOf(chunksOf(stream))));
      expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['aborted']));
    });
  });
}
