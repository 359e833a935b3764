import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { DialectAdapter, DialectEvent } from '../../providers/dialect-adapter.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createProviders } from '../../providers/registry.ts';
import { eventually } from '../support/eventually.ts';
import {
  answerAsUsual,
  type Behave,
  nativeEvents,
  nativeResponse,
  type ResponsesUpstream,
  sendEvents,
  startResponsesUpstream,
} from '../support/responses-upstream.ts';
import { withMoreTime } from '../support/with-more-time.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { freeAnswer } from '../support/free-answer.ts';

type Json = Record<string, unknown>;

/** The promises of a DialectAdapter that speaks responses natively, tested over HTTP against a stand-in. */
export function describeResponses(name: string): void {
  let upstream: ResponsesUpstream;
  let outbound: OutboundGuard;
  let adapter: DialectAdapter;
  const dispatcher = createProviderDispatcher();

  beforeAll(async () => {
    upstream = await startResponsesUpstream();
    outbound = createOutboundGuard({ allow: [] });
    const rows = [{ slug: 'vendor', adapter: name, baseUrl: upstream.baseUrl }];
    const credentials = () => ({ apiKey: 'secret-key' });
    adapter = createProviders({ rows, credentials, outbound, dispatcher }).get('vendor')!.responses!;
  });
  beforeEach(() => upstream.answer(answerAsUsual()));
  afterAll(async () => {
    await dispatcher.destroy();
    await outbound.close();
    await upstream.close();
  });

  const request = { model: 'gpt', input: 'Hi' };
  const context = (facts: { signal?: AbortSignal; idleMs?: number; firstByteMs?: number } = {}) => {
    const { signal = new AbortController().signal, ...times } = facts;
    const timeouts = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000, ...times };
    return { signal, requestId: 'req_test', timeouts, answer: freeAnswer() };
  };
  const create = (more: Json = {}) => adapter.create({ ...request, ...more }, context());
  const stream = (more: Json = {}) => adapter.stream({ ...request, ...more }, context());
  const brokenOff = () =>
    eventually('the vendor sees the connection close', async () => upstream.brokenOff() || undefined);

  async function eventsOf(
    answer: AsyncIterable<DialectEvent[]>,
    into: DialectEvent[] = [],
  ): Promise<DialectEvent[]> {
    for await (const batch of answer) into.push(...batch);
    return into;
  }

  describe('a response', () => {
    test('equals the vendor’s response, with service_tier null', async () => {
      expect(await create()).toEqual({ ...nativeResponse(), service_tier: null });
    });

    test('the request keeps its fields, but sets store to false', async () => {
      await create({
        store: true,
        include: ['reasoning.encrypted_content'],
        stream_options: {},
        text: { verbosity: 'low' },
      });
      expect(upstream.asked.at(-1)).toEqual({
        ...request,
        include: ['reasoning.encrypted_content'],
        text: { verbosity: 'low' },
        stream: false,
        store: false,
      });
    });

    test.each<[string, Behave, string]>([
      ['a refusal', (response) => response.writeHead(503).end('{}'), 'overloaded'],
      [
        'an error in a 200',
        (response) => response.end('{"error":{"code":"rate_limit_exceeded","message":"m"}}'),
        'rate_limited',
      ],
      [
        'one that says why it failed',
        (response) =>
          response.end(
            JSON.stringify(
              nativeResponse({ status: 'failed', error: { code: 'server_error', message: 'm' } }),
            ),
          ),
        'server_error',
      ],
      [
        'one that says only that it failed',
        (response) => response.end(JSON.stringify(nativeResponse({ status: 'failed' }))),
        'server_error',
      ],
      ['another shape', (response) => response.end('{"choices":[]}'), 'invalid_response'],
      ['no JSON', (response) => response.end('<html>'), 'invalid_response'],
      ['a cut connection', (response) => void response.destroy(), 'connection_lost'],
    ])('fails with the matching code on %s', async (_what, behave, code) => {
      upstream.answer(behave);
      expect(await failureOf(create())).toMatchObject({ code });
    });

    test('has usage null when a count of tokens is negative', async () => {
      upstream.answer((response) =>
        response.end(JSON.stringify(nativeResponse({ usage: { input_tokens: -1, output_tokens: 2 } }))),
      );
      expect((await create())['usage']).toBeNull();
    });
  });

  describe('the events of a response', () => {
    test('equal the vendor’s events, unknown ones included', async () => {
      const told = nativeEvents().map((event) =>
        event.response === undefined
          ? event
          : { ...event, response: { ...event.response, service_tier: null } },
      );
      expect(await eventsOf(await stream())).toEqual(told);
      expect(upstream.asked.at(-1)).toEqual({ ...request, stream: true, store: false });
    });

    test('end with response.completed when the vendor keeps the connection open', async () => {
      upstream.answer((response) => sendEvents(response, nativeEvents()));
      expect((await eventsOf(await stream())).at(-1)!.type).toBe('response.completed');
      await brokenOff();
    });

    test.each<[string, Behave, string]>([
      [
        'an error',
        (response) => {
          sendEvents(response, [
            ...nativeEvents().slice(0, 9),
            { type: 'error', code: 'rate_limit_exceeded', message: 'm' },
          ]);
          response.end();
        },
        'rate_limited',
      ],
      [
        'a failed response',
        (response) => {
          const failed = nativeResponse({ status: 'failed', error: { code: 'server_error', message: 'm' } });
          sendEvents(response, [
            ...nativeEvents().slice(0, 9),
            { type: 'response.failed', response: failed },
          ]);
          response.end();
        },
        'server_error',
      ],
      [
        'an end without an end',
        (response) => {
          sendEvents(response, nativeEvents().slice(0, 9));
          response.end();
        },
        'connection_lost',
      ],
      [
        'something else',
        (response) => {
          sendEvents(response, [
            ...nativeEvents().slice(0, 9),
            { response: 'x', type: 'response.in_progress' },
          ]);
          response.end();
        },
        'invalid_response',
      ],
    ])('fail with the matching code when they break off with %s', async (_what, behave, code) => {
      upstream.answer(behave);
      const heard: DialectEvent[] = [];
      // What comes together with its failure may be failed as a whole.
      const error = await failureOf(stream().then((answer) => eventsOf(answer, heard)));
      expect(error).toMatchObject({ code });
    });

    test('time out after the sent events when the vendor falls silent', async () => {
      upstream.answer((response) => sendEvents(response, nativeEvents().slice(0, 9)));
      await withMoreTime(50, async (idleMs) => {
        const heard: DialectEvent[] = [];
        const answer = await adapter.stream(request, context({ idleMs }));
        expect(await failureOf(eventsOf(answer, heard))).toMatchObject({ code: 'timeout' });
        return heard.length === 9 || undefined;
      });
      await brokenOff();
    });

    test('fail as invalid_response when the vendor sends a whole answer instead', async () => {
      upstream.answer((response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(nativeResponse()));
      });
      expect(await failureOf(stream())).toMatchObject({ code: 'invalid_response' });
    });

    test('close the vendor’s connection when the caller stops reading', async () => {
      upstream.answer((response) => sendEvents(response, nativeEvents().slice(0, 9)));
      for await (const _batch of await stream()) break;
      await brokenOff();
    });

    test('close the vendor’s connection when the caller aborts', async () => {
      upstream.answer((response) => sendEvents(response, nativeEvents().slice(0, 9)));
      const leaving = new AbortController();
      const reading = failureOf(eventsOf(await adapter.stream(request, context({ signal: leaving.signal }))));
      leaving.abort();
      expect(await reading).toMatchObject({ code: 'aborted' });
      await brokenOff();
    });
  });
}
