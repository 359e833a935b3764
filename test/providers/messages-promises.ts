import { describe, expect, test } from '@jest/globals';
import type { ProviderError } from '../../domain/provider-error.ts';
import type { TextRequest } from '../../providers/chat-adapter.ts';
import type { DialectEvent } from '../../providers/dialect-adapter.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { eventually } from '../support/eventually.ts';
import {
  eventsOf,
  type MessagesAdapterUnderTest,
  type MessagesVendor,
  setUpMessagesAdapter,
  wordsIn,
} from './messages-adapter-under-test.ts';
import { closed, heldBy, newRequestId, timedOut } from './held-call.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

const WEATHER = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
};

const event = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const BEGINNING = event({ type: 'message_start', message: { id: 'm', usage: { input_tokens: 3 } } } as never);
const STOPPED = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } } as never);

/** The promises of a DialectAdapter of Anthropic's dialect, tested over HTTP against the local upstream. */
export function describeMessagesAdapter(name: string, vendor?: MessagesVendor): MessagesAdapterUnderTest {
  const adapter = setUpMessagesAdapter(name, vendor);
  describeAnswers(adapter);
  describeStreams(adapter);
  describeFailures(adapter);
  describeConnections(adapter);
  return adapter;
}

function describeAnswers(adapter: MessagesAdapterUnderTest): void {
  describe('a whole message', () => {
    test('has the vendor’s content, stop_reason and counts of tokens', async () => {
      expect(await adapter.create('Wie heißt der Turm? 🗼')).toMatchObject({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'You said: Wie heißt der Turm? 🗼' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 8, output_tokens: 7 },
      });
    });

    test('contains thinking and tool calls', async () => {
      const answer = await adapter.create('get_weather {"city":"Oslo"}', {
        tools: [WEATHER],
        thinking: { type: 'adaptive' },
      });
      expect(answer).toMatchObject({
        content: [
          { type: 'thinking', thinking: expect.any(String), signature: expect.any(String) },
          { type: 'tool_use', name: 'get_weather', input: { city: 'Oslo' } },
        ],
        stop_reason: 'tool_use',
      });
    });

    test('the request keeps all fields but stream, with credential and request id', async () => {
      const more = { stream: true, top_k: 5, unknown_to_us: { deep: [1, null] } };
      await adapter.create('x', more);
      const asked = adapter.client.upstream.requests('messages').at(-1);
      expect(asked).toMatchObject({ hasKey: true, requestId: 'req_test' });
      const { stream: _, ...sent } = adapter.newRequest('x', more);
      expect(asked?.fields).toEqual(adapter.toWire(sent as TextRequest));
    });

    test.each([
      ['negative', { input_tokens: -5 }],
      ['broken', { output_tokens: 1.5 }],
    ])('has no usage when a count of tokens is %s', async (_, values) => {
      adapter.fault({ kind: 'usage', on: 'messages', how: 'set', values });
      expect((await adapter.create())['usage']).toBeUndefined();
    });
  });
}

function describeStreams(adapter: MessagesAdapterUnderTest): void {
  async function streamOf(body: string): Promise<DialectEvent[]> {
    const vendor = await startLoopbackServer((_, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(body);
    });
    try {
      const stream = adapter
        .messages(`${vendor.origin}/v1`)
        .stream(adapter.newRequest(), adapter.newContext());
      return await eventsOf(await stream);
    } finally {
      await vendor.close();
    }
  }

  describe('a stream of messages', () => {
    test('has the text of the whole message, and ends with stop_reason and usage', async () => {
      const whole = await adapter.create();
      const events = await eventsOf(await adapter.stream());
      expect(wordsIn(events)).toBe((whole['content'] as { text: string }[])[0]!.text);
      const { input_tokens, output_tokens } = whole['usage'] as Record<string, number>;
      expect(events[0]).toMatchObject({ type: 'message_start', message: { usage: { input_tokens } } });
      expect(events.at(-1)).toMatchObject({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens },
      });
    });

    test('carries the arguments of a tool call in pieces', async () => {
      const events = await eventsOf(
        await adapter.stream('get_weather {"city":"Oslo"}', { tools: [WEATHER] }),
      );
      expect(wordsIn(events, 'partial_json')).toBe('{"city":"Oslo"}');
    });

    test('keeps characters whole that arrive byte by byte', async () => {
      adapter.fault({ kind: 'drip', on: 'messages', unit: 'byte' });
      expect(wordsIn(await eventsOf(await adapter.stream('Füße 👩‍👩‍👧‍👦 漢字')))).toBe('You said: Füße 👩‍👩‍👧‍👦 漢字');
    });

    test('ends successfully without message_stop after a stop_reason', async () => {
      expect((await streamOf(BEGINNING + STOPPED)).map(({ type }) => type)).toEqual([
        'message_start',
        'message_delta',
      ]);
    });

    test('yields its events, then fails as connection_lost without a stop_reason', async () => {
      adapter.fault({ kind: 'end-early', on: 'messages', events: 5 });
      const seen: DialectEvent[] = [];
      const read = async (): Promise<void> => {
        for await (const batch of await adapter.stream()) seen.push(...batch);
      };
      expect(await failureOf(read())).toMatchObject({ code: 'connection_lost', retryable: true });
      expect(wordsIn(seen)).not.toBe('');
    });

    test('ends at message_stop when the vendor keeps the connection open', async () => {
      const vendor = await startLoopbackServer((_, response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.write(BEGINNING + STOPPED + event({ type: 'message_stop' }));
      });
      try {
        const stream = await adapter
          .messages(`${vendor.origin}/v1`)
          .stream(adapter.newRequest(), adapter.newContext());
        expect((await eventsOf(stream)).at(-1)?.type).toBe('message_delta');
      } finally {
        await vendor.close();
      }
    });

    test.each([
      ['without a type', 'data: {}\n\n'],
      ['that is no JSON', 'data: nonsense\n\n'],
      ['without what it announces', event({ type: 'content_block_delta' })],
    ])('fails as invalid_response on an event %s', async (_, body) => {
      expect(await failureOf(streamOf(body))).toMatchObject({ code: 'invalid_response' });
    });

    test.each([
      ['overloaded_error', 'overloaded'],
      ['rate_limit_error', 'rate_limited'],
      ['api_error', 'server_error'],
    ])('fails on the error %s in the middle as %s', async (type, code) => {
      const error = event({ type: 'error', error: { type, message: 'No.' } } as never);
      expect(await failureOf(streamOf(BEGINNING + error))).toMatchObject({ code });
    });

    test('closes the vendor’s connection when the caller stops reading', async () => {
      adapter.fault({ kind: 'hang-stream', on: 'messages', events: 5 });
      for await (const _ of await adapter.stream()) break;
      await eventually(
        'the vendor sees the connection close',
        async () => adapter.client.upstream.requests('messages').at(-1)?.brokenOff,
      );
    });
  });
}

function describeFailures(adapter: MessagesAdapterUnderTest): void {
  async function failureFrom(fault: FaultInput, call: () => Promise<unknown>): Promise<ProviderError> {
    // Twice: what is lost with a connection that was used before is asked again.
    adapter.client.upstream.addFaults({ ...fault, times: 2 } as FaultInput);
    const error = await failureOf(call());
    adapter.client.upstream.clearFaults();
    return error;
  }

  async function failuresFrom(fault: FaultInput): Promise<ProviderError[]> {
    const whole = await failureFrom(fault, () => adapter.create());
    return [whole, await failureFrom(fault, () => adapter.stream().then(eventsOf))];
  }

  async function refusedWith(status: number, error: object): Promise<ProviderError> {
    const vendor = await startLoopbackServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(JSON.stringify({ type: 'error', error, request_id: 'req_vendor' }));
    });
    try {
      const messages = adapter.messages(`${vendor.origin}/v1`);
      return await failureOf(messages.create(adapter.newRequest(), adapter.newContext()));
    } finally {
      await vendor.close();
    }
  }

  describe('a refusal in Anthropic’s envelope', () => {
    test.each([
      [400, 'invalid_request_error', 'invalid_request', false],
      [401, 'authentication_error', 'unauthorized', false],
      [402, 'billing_error', 'unauthorized', false],
      [403, 'permission_error', 'unauthorized', false],
      [404, 'not_found_error', 'not_found', false],
      [413, 'request_too_large', 'invalid_request', false],
      [429, 'rate_limit_error', 'rate_limited', true],
      [500, 'api_error', 'server_error', true],
      [504, 'timeout_error', 'timeout', true],
      [529, 'overloaded_error', 'overloaded', true],
    ])('status %d with %s becomes %s', async (status, type, code, retryable) => {
      const error = await refusedWith(status, { type, message: 'max_tokens: too many' });
      expect(error).toMatchObject({ code, status, retryable, retryAfterMs: 7_000 });
      if (code === 'invalid_request') expect(error.publicMessage).toBe('max_tokens: too many');
    });

    test('becomes unauthorized, without the vendor’s words, when the operator’s credit is spent', async () => {
      const message = 'Your credit balance is too low to access the Anthropic API.';
      const error = await refusedWith(400, { type: 'invalid_request_error', message });
      expect(error).toMatchObject({ code: 'unauthorized' });
      expect(error.publicMessage).not.toMatch(/balance/);
    });

    test('hides the credential that the vendor repeats', async () => {
      const error = await refusedWith(400, { type: 'invalid_request_error', message: `Bad ${UPSTREAM_KEY}` });
      expect(`${error.publicMessage} ${String(error.cause)}`).not.toContain(UPSTREAM_KEY);
    });
  });

  describe('an answer to a message', () => {
    test.each([
      ['drop', 'connection_lost'],
      ['drop-after', 'connection_lost'],
      ['garbage', 'invalid_response'],
      ['wrong-shape', 'invalid_response'],
    ] as const)('fails on %s as %s', async (kind, code) => {
      const errors = await failuresFrom({ kind, on: 'messages' });
      expect(errors).toMatchObject([{ code }, { code }]);
    });

    test('fails with the code of an error in a 200', async () => {
      const errors = await failuresFrom({ kind: 'error-body', on: 'messages', code: 'overloaded_error' });
      expect(errors).toMatchObject([{ code: 'overloaded' }, { code: 'overloaded' }]);
    });
  });
}

function describeConnections(adapter: MessagesAdapterUnderTest): void {
  const ways = {
    create: (context = adapter.newContext()) => adapter.messages().create(adapter.newRequest(), context),
    stream: (context = adapter.newContext()) => adapter.messages().stream(adapter.newRequest(), context),
  };

  describe.each(Object.entries(ways))('a connection to %s a message', (_, call) => {
    test('times out and closes when the vendor stays silent', async () => {
      const request = await timedOut(
        adapter.client,
        { kind: 'hang', on: 'messages' },
        ({ requestId, timeoutMs }) =>
          call(adapter.newContext({ requestId, attemptMs: timeoutMs, firstByteMs: timeoutMs })),
      );
      await closed(request);
    });

    test('fails as aborted and closes when the caller aborts', async () => {
      adapter.fault({ kind: 'hang', on: 'messages' });
      const [stop, requestId] = [new AbortController(), newRequestId()];
      const error = failureOf(call(adapter.newContext({ signal: stop.signal, requestId })));
      const request = await heldBy(adapter.client, requestId);
      stop.abort();
      expect(await error).toMatchObject({ code: 'aborted', retryable: false });
      await closed(request);
    });
  });
}
