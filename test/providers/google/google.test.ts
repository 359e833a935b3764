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

  test('returns pictures as data URLs, and not those of thoughts', async () => {
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    adapter.client.answerParts([{ inlineData, thought: true }, { inlineData }]);
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, index: 0 };
    expect((await adapter.complete()).choices).toMatchObject([{ message: { images: [picture] } }]);
  });

  test('numbers the pictures of a stream over its pieces', async () => {
    const inlineData = { mimeType: 'image/png', data: 'AAAA' };
    adapter.client.answerParts([{ inlineData }, { text: 'and' }, { inlineData }]);
    const deltas = (await chunksOf(await adapter.stream())).flatMap(({ choices }) => choices);
    expect(deltas.flatMap(({ delta }) => (delta['images'] as object[] | undefined) ?? [])).toMatchObject([
      { index: 0 },
      { index: 1 },
    ]);
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
    ['FLEX', undefined, 'flex'],
    ['standard', undefined, 'default'],
    [undefined, 'ON_DEMAND_PRIORITY', 'priority'],
    [undefined, 'ON_DEMAND', 'default'],
    [undefined, 'PROVISIONED_THROUGHPUT', undefined],
  ])('names its tier, from %s or %s', async (serviceTier, trafficType, tier) => {
    adapter.client.answerWith({
      answer: { usageMetadata: { promptTokenCount: 1, serviceTier, trafficType } },
    });
    expect((await adapter.complete()).service_tier).toBe(tier);
  });
});

describe('the tier that served a chat', () => {
  test.each([
    ['standard', 'default'],
    ['FLEX', 'flex'],
    ['paid', undefined],
  ])('comes from the header of the answer: %s', async (name, tier) => {
    adapter.client.answerWith({ headers: { 'x-gemini-service-tier': name } });
    const asked = { service_tier: 'priority' };
    expect((await adapter.complete('Hi', asked)).service_tier).toBe(tier);
    const chunks = await chunksOf(await adapter.stream('Hi', asked));
    expect(chunks.at(-1)?.['service_tier']).toBe(tier);
  });
});

describe('a refusal of Google', () => {
  const details = (more: object) => ({
    error: {
      code: 429,
      message: 'You exceeded your current quota',
      status: 'RESOURCE_EXHAUSTED',
      details: [more],
    },
  });

  test.each<[string, number, object, object]>([
    [
      'a wrong key',
      400,
      googleError(400, { message: 'API key not valid.', code: 'API_KEY_INVALID' }),
      { code: 'unauthorized' },
    ],
    [
      'a country without service',
      400,
      googleError(400, { message: 'User location is not supported for the API use.', code: null }),
      { code: 'unauthorized' },
    ],
    [
      'an account without credit',
      429,
      googleError(429, { message: 'Your prepayment credits are depleted.', code: null }),
      { code: 'unauthorized', retryable: false },
    ],
    [
      'a quota with a wait',
      429,
      details({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }),
      { code: 'rate_limited', retryAfterMs: 34_070 },
    ],
    ['a quota without a wait', 429, details({}), { code: 'rate_limited', retryAfterMs: undefined }],
    [
      'a retired model',
      404,
      googleError(404, { message: 'models/x is no longer available.', code: null }),
      { code: 'not_found', isModelGone: true },
    ],
    [
      'a request that it does not understand',
      400,
      googleError(400, { message: 'Invalid value', code: null }),
      { code: 'invalid_request', publicMessage: 'Invalid value' },
    ],
  ])('has its code for %s', (_, status, body, facts) => {
    expect(vendorError({ status, headers: {}, text: JSON.stringify(body) }, [])).toMatchObject(facts);
  });

  test('asks for a wait within a stream, too', async () => {
    const vendor = await startLoopbackServer((_request, response) => {
      const info = details({ retryDelay: '3s' });
      response.setHeader('content-type', 'text/event-stream').end(`data: ${JSON.stringify(info)}\n\n`);
    });
    const stream = adapter.chat(vendor.origin).stream(adapter.newRequest(), adapter.newContext());
    expect(await failureOf(stream)).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_000 });
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
