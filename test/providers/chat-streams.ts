import { describe, expect, test } from '@jest/globals';
import type { VendorStandIn } from './adapter-under-test.ts';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChatChunk } from '../../providers/chat-adapter.ts';
import { eventually } from '../support/eventually.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import { closed, timedOut } from './held-call.ts';
import { chunksOf, failureOf, type TextAdapterUnderTest, wordsOf } from './text-adapter-under-test.ts';

const event = (data: object | string) =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const chunk = (content: string, finishReason: string | null = null, index = 0) =>
  event({ id: 'x', choices: [{ index, delta: { content }, finish_reason: finishReason }] });

export function describeChatStreams(adapter: TextAdapterUnderTest<VendorStandIn>): void {
  /** The stream of a vendor that behaves just so. */
  async function streamOf(
    behave: (response: ServerResponse) => void,
    use: (stream: Promise<AsyncIterable<ChatChunk[]>>) => Promise<void>,
    contentType = 'text/event-stream',
  ): Promise<void> {
    const vendor = await startLoopbackServer((_, response) => {
      response.setHeader('content-type', contentType);
      behave(response);
    });
    try {
      const chat = adapter.chat(`${vendor.origin}/v1`);
      await use(chat.stream(adapter.newRequest(), adapter.newContext()));
    } finally {
      await vendor.close();
    }
  }

  describe('a stream', () => {
    test('has the text of the whole answer and ends with usage', async () => {
      const [whole, chunks] = await Promise.all([
        adapter.complete('A lighthouse'),
        adapter.stream('A lighthouse').then(chunksOf),
      ]);
      expect(wordsOf(chunks)).toBe(whole.choices[0]?.message.content);
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
      expect(chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason)).at(-1)).toBe(
        'stop',
      );
    });

    test('the request sets stream and stream_options.include_usage', async () => {
      await chunksOf(await adapter.stream());
      expect(adapter.client.upstream.requests('chat').at(-1)).toMatchObject({
        fields: { stream: true, stream_options: { include_usage: true } },
      });
    });

    test('carries the arguments of a tool call in pieces', async () => {
      const tools = [{ type: 'function', function: { name: 'look_up', parameters: {} } }];
      const chunks = await chunksOf(await adapter.stream('look_up {"word":"phare"}', { tools }));
      const calls = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
      expect(calls[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'look_up' } });
      const pieces = calls.map((call) => (call as { function: { arguments: string } }).function.arguments);
      expect(pieces.join('')).toBe('{"word":"phare"}');
    });

    test('yields chunks that arrive together as one batch', async () => {
      await streamOf(
        (response) => response.end(chunk('a') + chunk('b') + chunk('c', 'stop') + event('[DONE]')),
        async (stream) => {
          const batches: ChatChunk[][] = [];
          for await (const batch of await stream) batches.push(batch);
          expect(batches.map(wordsOf)).toEqual(['abc']);
        },
      );
    });

    test('keeps characters whole that arrive byte by byte', async () => {
      adapter.fault({ kind: 'drip', unit: 'byte' });
      const chunks = await chunksOf(await adapter.stream('Füße 👩‍👩‍👧‍👦 漢字'));
      expect(wordsOf(chunks)).toBe('You said: Füße 👩‍👩‍👧‍👦 漢字');
      expect(chunks.at(-1)?.usage?.prompt_tokens).toBeGreaterThan(0);
    });

    test.each(['late', 'twice'] as const)('passes on usage that comes %s', async (how) => {
      adapter.fault({ kind: 'usage', how, ms: 20 });
      const counts = (await chunksOf(await adapter.stream('x'))).flatMap(({ usage }) => usage ?? []);
      expect(counts).toHaveLength(how === 'twice' ? 2 : 1);
      expect(counts.at(-1)).toMatchObject({ prompt_tokens: 4, completion_tokens: 3 });
    });

    test('ends successfully when the vendor sends no usage', async () => {
      adapter.fault({ kind: 'usage', how: 'never' });
      const chunks = await chunksOf(await adapter.stream('x'));
      expect(wordsOf(chunks)).toBe('You said: x');
      expect(chunks.some(({ usage }) => usage)).toBe(false);
    });

    test.each([
      ['[DONE]', event('[DONE]')],
      ['[DONE], at the very end', 'data: [DONE]'],
      ['a finish_reason', chunk('', 'stop')],
    ])('ends with %s', async (_, last) => {
      await streamOf(
        (response) => response.end(chunk('a') + last),
        async (stream) => expect(wordsOf(await chunksOf(await stream))).toBe('a'),
      );
    });

    test('accepts chunks without choices, and choices without a delta', async () => {
      await streamOf(
        (response) => response.end(event({ usage: null }) + event({ choices: [{}] }) + chunk('a', 'stop')),
        async (stream) =>
          expect((await chunksOf(await stream)).slice(0, 2)).toEqual([
            { choices: [], usage: null },
            { choices: [{ index: 0, delta: {} }] },
          ]),
      );
    });

    test('counts a comment as its first byte', async () => {
      let restAfterMs = 0;
      const vendor = await startLoopbackServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': in the queue\n\n');
        setTimeout(() => response.end(chunk('a', 'stop') + event('[DONE]')), restAfterMs);
      });
      try {
        const words = await withMoreTime(100, async (firstByteMs) => {
          restAfterMs = 2 * firstByteMs;
          const context = adapter.newContext({ firstByteMs });
          const stream = await adapter
            .chat(vendor.origin)
            .stream(adapter.newRequest(), context)
            .catch(() => undefined);
          return stream && wordsOf(await chunksOf(stream));
        });
        expect(words).toBe('a');
      } finally {
        await vendor.close();
      }
    });

    test('makes the vendor wait for a slow reader', async () => {
      const piece = chunk('x'.repeat(10_000));
      await streamOf(
        (response) => {
          let left = 5_000;
          const write = (): void => {
            while (left > 0 && response.write(piece)) left -= 1;
            if (left === 0) response.end(event('[DONE]'));
          };
          response.on('drain', write);
          write();
        },
        async (promise) => {
          let largest = 0;
          let words = 0;
          for await (const batch of await promise) {
            largest = Math.max(largest, wordsOf(batch).length);
            words += wordsOf(batch).length;
            // A slow caller, at first.
            if (words < 1_000_000) for (let turn = 0; turn < 500; turn += 1) await nextTurn();
          }
          expect(words).toBeGreaterThanOrEqual(49_000_000);
          expect(largest).toBeLessThan(1_000_000);
        },
      );
    });
  });

  describe('a stream that fails', () => {
    test.each([
      ['before it begins', 0],
      ['in the middle', 3],
    ])('ends as connection_lost when it is cut %s', async (_, events) => {
      adapter.fault({ kind: 'cut-stream', events });
      const error = await failureOf(adapter.stream().then(chunksOf));
      expect(error).toMatchObject({ code: 'connection_lost', retryable: true });
    });

    test('yields its chunks, then fails as connection_lost when it ends early', async () => {
      adapter.fault({ kind: 'end-early', events: 3 });
      const stream = await adapter.stream('a b c d');
      const heard: ChatChunk[] = [];
      const reading = (async () => {
        for await (const batch of stream) heard.push(...batch);
      })();
      expect(await failureOf(reading)).toMatchObject({ code: 'connection_lost' });
      expect(wordsOf(heard)).toBe('You said:');
    });

    test('fails as connection_lost when one of several choices is unfinished', async () => {
      await streamOf(
        (response) => response.end(chunk('a', null, 0) + chunk('b', 'stop', 1)),
        async (stream) =>
          expect(await failureOf(stream.then(chunksOf))).toMatchObject({ code: 'connection_lost' }),
      );
    });

    test.each([
      ['an object', { named: false }],
      ['an event of that name', { named: true }],
    ])('fails as rate_limited when the error comes as %s', async (_, how) => {
      adapter.fault({ kind: 'error-event', events: 2, code: 'rate_limit_exceeded', ...how });
      const error = await failureOf(adapter.stream().then(chunksOf));
      expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    });

    test('fails before it yields a chunk when the first batch has an error', async () => {
      await streamOf(
        (response) => response.end(chunk('a') + event({ error: { message: 'no', code: 502 } })),
        async (stream) =>
          expect(await failureOf(stream)).toMatchObject({ code: 'server_error', status: 502 }),
      );
    });

    test('fails as invalid_response when it has only [DONE]', async () => {
      await streamOf(
        (response) => response.end(event('[DONE]')),
        async (stream) => expect(await failureOf(stream)).toMatchObject({ code: 'invalid_response' }),
      );
    });

    test.each([
      ['is no JSON', event('{"id":'), 'text/event-stream'],
      ['is no object', event('[]'), 'text/event-stream'],
      ['has choices that are no list', event({ choices: 'x' }), 'text/event-stream'],
      ['has a delta that is no object', event({ choices: [{ delta: 'x' }] }), 'text/event-stream'],
      ['is a whole answer', '{"choices":[{"message":{"content":"x"}}]}', 'application/json'],
      ['is nothing', '', 'application/json'],
    ])('fails as invalid_response when it %s', async (_, body, contentType) => {
      await streamOf(
        (response) => response.end(body),
        async (stream) => expect(await failureOf(stream)).toMatchObject({ code: 'invalid_response' }),
        contentType,
      );
    });

    test('fails as invalid_response and disconnects when a line has 100 MB', async () => {
      adapter.fault({ kind: 'long-line', events: 2 });
      const error = await failureOf(adapter.stream().then(chunksOf));
      expect(error).toMatchObject({ code: 'invalid_response' });
      await brokenOff();
    });

    test('times out and disconnects when its first byte does not come', async () => {
      const request = await timedOut(
        adapter.client,
        { kind: 'slow-start', ms: 60_000 },
        ({ requestId, timeoutMs }) =>
          adapter
            .chat()
            .stream(adapter.newRequest(), adapter.newContext({ requestId, firstByteMs: timeoutMs })),
      );
      await closed(request);
    });

    test('times out and disconnects when it falls silent in the middle', async () => {
      adapter.fault({ kind: 'hang-stream', events: 2 });
      const stream = await adapter.chat().stream(adapter.newRequest(), adapter.newContext({ idleMs: 50 }));
      expect(await failureOf(chunksOf(stream))).toMatchObject({ code: 'timeout' });
      await brokenOff();
    });
  });

  describe('a stream whose caller leaves', () => {
    test('closes the vendor’s connection when its reader stops', async () => {
      adapter.fault({ kind: 'hang-stream', events: 2 });
      for await (const batch of await adapter.stream()) {
        expect(batch.length).toBeGreaterThan(0);
        break;
      }
      await brokenOff();
    });

    test('closes the vendor’s connection when the caller aborts', async () => {
      adapter.fault({ kind: 'hang-stream', events: 2 });
      const stop = new AbortController();
      const context = adapter.newContext({ signal: stop.signal });
      const reading = failureOf(chunksOf(await adapter.chat().stream(adapter.newRequest(), context)));
      stop.abort();
      expect(await reading).toMatchObject({ code: 'aborted', retryable: false });
      await brokenOff();
    });

    test('stays complete when the caller aborts after its end', async () => {
      const stop = new AbortController();
      const context = adapter.newContext({ signal: stop.signal });
      const chunks = await chunksOf(await adapter.chat().stream(adapter.newRequest('x'), context));
      stop.abort();
      expect(wordsOf(chunks)).toBe('You said: x');
    });
  });

  function brokenOff(): Promise<true> {
    return eventually(
      'the vendor sees the connection close',
      async () => adapter.client.upstream.requests('chat').at(-1)?.brokenOff,
    );
  }
}
