import { afterEach, describe, expect, test } from '@jest/globals';
import { vendorError } from '../../../providers/vendor-error.ts';
import { startLoopbackServer } from '../../platform/loopback-server.ts';
import { chunksOf, failureOf, setUpTextAdapter, wordsOf } from '../text-adapter-under-test.ts';
import { describeTextConnections } from '../text-connections.ts';
import { describeTextFailures } from '../text-failures.ts';
import { GEMINI, googleError } from './upstream.ts';

const adapter = setUpTextAdapter('google', GEMINI);
describeTextFailures(adapter);
describeTextConnections(adapter);

afterEach(() => {
  adapter.client.answerParts(undefined);
  adapter.client.answerWith({});
});

describe('an answer of Gemini', () => {
  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'error'],
    ['A_NEW_REASON', 'stop'],
  ])('ends as %s by the name %s', async (native, reason) => {
    adapter.client.answerWith({ candidate: { finishReason: native } });
    const ends = { finish_reason: reason, native_finish_reason: native };
    expect((await adapter.complete()).choices).toMatchObject([ends]);
    const chunks = await chunksOf(await adapter.stream());
    expect(chunks.at(-1)?.choices).toMatchObject([ends]);
  });

  test('gives the same text and counts whole and streamed', async () => {
    const whole = await adapter.complete('A lighthouse');
    const chunks = await chunksOf(await adapter.stream('A lighthouse'));
    expect(whole.choices).toMatchObject([
      { message: { role: 'assistant', content: 'You said: A lighthouse' } },
    ]);
    expect(wordsOf(chunks)).toBe('You said: A lighthouse');
    expect(chunks.at(-1)?.usage).toEqual(whole.usage);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
  });

  test('returns pictures as data URLs with numbers of their own, and leaves out those of thoughts', async () => {
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    adapter.client.answerParts([
      { inlineData, thought: true },
      { inlineData },
      { text: 'and' },
      { inlineData },
    ]);
    const [first, second] = [0, 1].map((index) => {
      const image_url = { url: 'data:image/png;base64,AAAA' };
      return { type: 'image_url', image_url, index };
    });
    const { choices } = await adapter.complete();
    expect(choices).toMatchObject([{ message: { images: [first, second] } }]);
    const deltas = (await chunksOf(await adapter.stream())).map((chunk) => chunk.choices[0]?.delta);
    expect(deltas.flatMap((delta) => delta?.['images'] ?? [])).toEqual([first, second]);
  });

  test.each([
    ['nothing and stop', 'STOP'],
    ['a broken call', 'MALFORMED_FUNCTION_CALL'],
  ])('fails as invalid_response when it has %s', async (_, finishReason) => {
    adapter.client.answerParts([{ thoughtSignature: 's' }]);
    adapter.client.answerWith({ candidate: { finishReason } });
    for (const call of [() => adapter.complete(), () => adapter.stream().then(chunksOf)])
      expect(await failureOf(call())).toMatchObject({ code: 'invalid_response', retryable: true });
  });

  test.each(['cut-stream', 'end-early'] as const)(
    'fails as connection_lost when its stream has %s',
    async (kind) => {
      adapter.fault({ kind, events: 1 });
      expect(await failureOf(adapter.stream().then(chunksOf))).toMatchObject({ code: 'connection_lost' });
    },
  );

  test('has no usage when a count is broken', async () => {
    adapter.client.answerWith({ answer: { usageMetadata: { promptTokenCount: -1 } } });
    expect((await adapter.complete()).usage).toBeUndefined();
  });

  test.each([
    [{ serviceTier: 'FLEX' }, undefined, 'flex'],
    [{ serviceTier: 'standard' }, undefined, 'default'],
    [{ trafficType: 'ON_DEMAND_PRIORITY' }, undefined, 'priority'],
    [{ trafficType: 'ON_DEMAND' }, undefined, 'default'],
    [{ trafficType: 'PROVISIONED_THROUGHPUT' }, undefined, undefined],
    [{}, 'standard', 'default'],
    [{}, 'FLEX', 'flex'],
    [{}, 'paid', undefined],
  ])('names the tier that served it, by its counts %j or its header %s', async (counted, header, tier) => {
    adapter.client.answerWith({
      answer: { usageMetadata: { promptTokenCount: 1, ...counted } },
      ...(header !== undefined && { headers: { 'x-gemini-service-tier': header } }),
    });
    const asked = { service_tier: 'priority' };
    expect((await adapter.complete('Hi', asked)).service_tier).toBe(tier);
    expect((await chunksOf(await adapter.stream('Hi', asked))).at(-1)?.['service_tier']).toBe(tier);
  });
});

describe('a refusal of Google', () => {
  const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' };
  const error = {
    code: 429,
    message: 'You exceeded your quota',
    status: 'RESOURCE_EXHAUSTED',
    details: [info],
  };
  const limited = { code: 'rate_limited', retryAfterMs: 34_070 };

  test.each([
    [400, googleError(400, { message: 'No.', code: 'API_KEY_INVALID' }), { code: 'unauthorized' }],
    [429, { error }, limited],
  ])('has the code and the wait of its details, status %d: %j', (status, body, facts) => {
    expect(vendorError({ status, headers: {}, text: JSON.stringify(body) }, [])).toMatchObject(facts);
  });

  test('asks for a wait within a stream, too', async () => {
    const vendor = await startLoopbackServer((_request, response) => {
      response.setHeader('content-type', 'text/event-stream').end(`data: ${JSON.stringify({ error })}\n\n`);
    });
    const stream = adapter.chat(vendor.origin).stream(adapter.newRequest(), adapter.newContext());
    expect(await failureOf(stream)).toMatchObject(limited);
    await vendor.close();
  });
});

describe('embeddings of Gemini', () => {
  const embed = (input: unknown, more: object = {}) =>
    adapter.embeddings().embed({ model: 'gemini-embedding-2', input, ...more }, adapter.newContext());

  test('embeds each text, in its order and with its length', async () => {
    const { data, usage } = await embed(['a', 'b'], { dimensions: 2, input_type: 'query' });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [0, 0.5],
      [1, 0.5],
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 5, total_tokens: 5 });
  });

  test('returns base64 when the caller asks for it', async () => {
    const { data } = await embed('a', { dimensions: 2, encoding_format: 'base64' });
    const bytes = Buffer.from(String(data[0]?.embedding), 'base64');
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([0, 0.5]);
  });

  test('refuses lists of tokens and more than 100 texts', () => {
    const { issuesOf } = adapter.embeddings();
    expect(issuesOf?.([[1, 2]])).toMatchObject([{ path: 'body.input' }]);
    expect(issuesOf?.(Array.from({ length: 101 }, () => 'x'))).toMatchObject([{ path: 'body.input' }]);
    expect(issuesOf?.(['x'])).toEqual([]);
  });
});
