import { describe, expect, test } from '@jest/globals';
import { timedOut } from './held-call.ts';
import { failureOf, type TextAdapterUnderTest } from './text-adapter-under-test.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';

export function describeEmbeddings(adapter: TextAdapterUnderTest): void {
  const embed = (input: unknown, more: object = {}) =>
    adapter.embeddings().embed({ model: 'embed-1', input, ...more }, adapter.newContext());

  describe('embeddings', () => {
    test('keep the order of the input and come with the count of tokens', async () => {
      const { data, usage } = await embed(['a lighthouse', 'the sea'], { dimensions: 8 });
      expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
        [0, 8],
        [1, 8],
      ]);
      expect(usage).toEqual({ prompt_tokens: 5, total_tokens: 5 });
    });

    test('come as base64 when the caller asks for it', async () => {
      const [floats, base64] = await Promise.all([
        embed('a lighthouse', { dimensions: 4 }),
        embed('a lighthouse', { dimensions: 4, encoding_format: 'base64' }),
      ]);
      const bytes = Buffer.from(String(base64.data[0]?.embedding), 'base64');
      const read = Array.from({ length: 4 }, (_, index) => bytes.readFloatLE(4 * index));
      expect(read).toEqual(floats.data[0]?.embedding);
    });

    test('accept lists of tokens as input', async () => {
      const { data } = await embed([[1, 2, 3], [4]], { dimensions: 4 });
      expect(data).toHaveLength(2);
    });

    test.each([
      ['garbage', 'invalid_response'],
      ['wrong-shape', 'invalid_response'],
      ['drop', 'connection_lost'],
    ] as const)('fail on %s as %s', async (kind, code) => {
      // Twice: what is lost with a connection that was used before is asked again.
      adapter.client.upstream.addFaults({ kind, on: 'embeddings', times: 2 });
      expect(await failureOf(embed('x'))).toMatchObject({ code, retryable: true });
    });

    test('fail with the vendor’s error code and Retry-After', async () => {
      expect(await failureOf(embed(''))).toMatchObject({ code: 'invalid_request', status: 400 });
      adapter.client.upstream.addFaults({ kind: 'status', on: 'embeddings', status: 429, retryAfter: '3' });
      expect(await failureOf(embed('x'))).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_000 });
    });

    test('time out when the vendor stays silent', async () => {
      const request = { model: 'embed-1', input: 'x' };
      await timedOut(adapter.client, { kind: 'hang', on: 'embeddings' }, ({ requestId, timeoutMs }) =>
        adapter.embeddings().embed(request, adapter.newContext({ requestId, attemptMs: timeoutMs })),
      );
    });

    test('follow the order of the input when the vendor’s order differs', async () => {
      const data = [2, 0, 1].map((index) => ({ index, embedding: [index] }));
      const vendor = await startLoopbackServer((_request, response) =>
        response.end(JSON.stringify({ data })),
      );
      const answer = adapter
        .embeddings(vendor.origin)
        .embed({ model: 'm', input: ['a', 'b', 'c'] }, adapter.newContext());
      const list = await answer.finally(() => vendor.close());
      expect(list.data.map(({ embedding }) => embedding)).toEqual([[0], [1], [2]]);
    });

    test.each([
      ['no indexes', [{ embedding: [0] }, { embedding: [1] }]],
      [
        'indexes that are no numbers',
        [
          { index: null, embedding: [0] },
          { index: 'x', embedding: [1] },
        ],
      ],
      [
        'the index 0 everywhere',
        [
          { index: 0, embedding: [0] },
          { index: 0, embedding: [1] },
        ],
      ],
      [
        'indexes as text',
        [
          { index: '1', embedding: [1] },
          { index: '0', embedding: [0] },
        ],
      ],
    ])('match their inputs when the vendor sends %s', async (_, data) => {
      const vendor = await startLoopbackServer((_request, response) =>
        response.end(JSON.stringify({ data })),
      );
      const answer = adapter
        .embeddings(vendor.origin)
        .embed({ model: 'm', input: ['a', 'b'] }, adapter.newContext());
      const list = await answer.finally(() => vendor.close());
      expect(list.data).toMatchObject([
        { index: 0, embedding: [0] },
        { index: 1, embedding: [1] },
      ]);
    });

    test.each([
      ['an entry without a vector', 'invalid_response', { data: [{ index: 0 }] }],
      ['no entry', 'invalid_response', { data: [] }],
      ['an entry too many', 'invalid_response', { data: [{ embedding: [1] }, { embedding: [2] }] }],
      ['an entry of another input', 'invalid_response', { data: [{ index: 1, embedding: [1] }] }],
      ['an entry of no input', 'invalid_response', { data: [{ index: -1, embedding: [1] }] }],
      ['an error', 'overloaded', { error: { message: 'overloaded', type: 'overloaded_error' } }],
    ])('fail on a 200 with %s as %s', async (_, code, body) => {
      const vendor = await startLoopbackServer((_request, response) => response.end(JSON.stringify(body)));
      const answer = adapter
        .embeddings(vendor.origin)
        .embed({ model: 'm', input: 'x' }, adapter.newContext());
      const error = await failureOf(answer).finally(() => vendor.close());
      expect(error.code).toBe(code);
    });
  });
}
