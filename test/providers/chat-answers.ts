import { describe, expect, test } from '@jest/globals';
import type { VendorStandIn } from './adapter-under-test.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { type TextAdapterUnderTest, failureOf } from './text-adapter-under-test.ts';

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
};

export function describeChatAnswers(adapter: TextAdapterUnderTest<VendorStandIn>): void {
  /** The answer to a vendor that says just this. */
  async function completeWith(body: string): ReturnType<TextAdapterUnderTest['complete']> {
    const vendor = await startLoopbackServer((_, response) =>
      response.setHeader('content-type', 'application/json').end(body),
    );
    try {
      return await adapter.chat(`${vendor.origin}/v1`).complete(adapter.newRequest(), adapter.newContext());
    } finally {
      await vendor.close();
    }
  }

  const answerWith = (more: object) =>
    JSON.stringify({ id: 'x', choices: [{ message: { role: 'assistant', content: 'y' } }], ...more });

  describe('a whole answer', () => {
    test('has the vendor’s message, fingerprint and count of tokens', async () => {
      const answer = await adapter.complete('Wie heißt der Turm? 🗼');
      expect(answer).toMatchObject({
        object: 'chat.completion',
        model: adapter.newRequest().model,
        system_fingerprint: 'fp_local_1',
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: 'You said: Wie heißt der Turm? 🗼' },
          },
        ],
        usage: {
          prompt_tokens: 8,
          completion_tokens: 7,
          total_tokens: 15,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      });
    });

    test('follows max_completion_tokens, n, stop and response_format', async () => {
      const limited = await adapter.complete('one two three four', { max_completion_tokens: 3 });
      expect(limited.choices).toMatchObject([
        { finish_reason: 'length', message: { content: 'You said: one' } },
      ]);
      const several = await adapter.complete('x', { n: 3, stop: ['said'] });
      expect(several.choices.map(({ index, message }) => [index, message.content])).toEqual([
        [0, 'You '],
        [1, 'You '],
        [2, 'You '],
      ]);
      const json = await adapter.complete('x', { response_format: { type: 'json_object' } });
      expect(json.choices[0]?.message.content).toBe('{"echo":"x"}');
    });

    test('contains the model’s tool calls', async () => {
      const answer = await adapter.complete('get_weather {"city":"Oslo"}', { tools: [WEATHER] });
      expect(answer.choices).toMatchObject([
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            tool_calls: [
              { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
            ],
          },
        },
      ]);
    });

    test('the request has the credential and the request id, but no stream fields', async () => {
      await adapter.complete('x', { stream: true, stream_options: { include_usage: true } });
      const asked = adapter.client.upstream.requests('chat').at(-1);
      expect(asked).toMatchObject({ hasKey: true, requestId: 'req_test' });
      expect(Object.keys(asked?.fields ?? {}).toSorted()).toEqual(['messages', 'model']);
    });

    test('has no usage when the vendor counts no tokens', async () => {
      adapter.fault({ kind: 'usage', how: 'never' });
      expect((await adapter.complete()).usage).toBeUndefined();
    });

    test.each([
      ['negative', { prompt_tokens: -5 }],
      ['broken', { completion_tokens: 1.5 }],
      ['beyond any context', { prompt_tokens: 2 ** 40 }],
    ])('has no usage when a count of tokens is %s', async (_, values) => {
      adapter.fault({ kind: 'usage', how: 'set', values });
      const answer = await adapter.complete();
      expect(answer.usage).toBeUndefined();
      expect(answer.choices).toHaveLength(1);
    });

    test('keeps unknown fields of usage', async () => {
      adapter.fault({ kind: 'usage', how: 'set', values: { prompt_tokens: 9, searches: 2 } });
      expect((await adapter.complete()).usage).toMatchObject({ prompt_tokens: 9, searches: 2 });
    });

    test('gets the index and finish_reason that the vendor leaves out', async () => {
      expect((await completeWith(answerWith({}))).choices).toMatchObject([
        { index: 0, finish_reason: 'stop' },
      ]);
    });

    test.each([
      ['nothing', ''],
      ['null', 'null'],
      ['a list', '[]'],
      ['no choices', '{"id":"x"}'],
      ['choices that are no list', answerWith({ choices: {} })],
      ['no choice', answerWith({ choices: [] })],
      ['a choice without a message', answerWith({ choices: [{ index: 0 }] })],
    ])('fails as invalid_response when the vendor sends %s', async (_, body) => {
      expect(await failureOf(completeWith(body))).toMatchObject({
        code: 'invalid_response',
        retryable: true,
      });
    });
  });
}
