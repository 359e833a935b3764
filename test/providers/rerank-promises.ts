import { describe, expect, test } from '@jest/globals';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { PNG, PNG_BYTES } from '../support/tiny-png.ts';
import { type RerankAdapterUnderTest, setUpRerankAdapter } from './rerank-adapter-under-test.ts';
import { closed, heldBy, newRequestId, timedOut } from './held-call.ts';
import { failureOf } from './text-adapter-under-test.ts';

/** The promises of RerankAdapter, which every adapter of Cohere's wire keeps, over HTTP against the local upstream. */
export function describeRerankAdapter(name: string, { pictures }: { pictures: boolean }): void {
  const adapter = setUpRerankAdapter(name);
  describeRanking(adapter);
  describeAnswers(adapter);
  describeFailures(adapter);
  if (pictures) describePictures(adapter);
  else describeBlindness(adapter);
}

const asked = (adapter: RerankAdapterUnderTest) =>
  adapter.client.upstream.requests('rerank').at(-1)?.fields ?? {};

function describeRanking(adapter: RerankAdapterUnderTest): void {
  describe('a ranking', () => {
    test('has a score for each document, and the usage', async () => {
      const { results, usage, id } = await adapter.rerank();
      const scores = new Map(results.map(({ index, relevanceScore }) => [index, relevanceScore]));
      expect(new Set(scores.keys())).toEqual(new Set([0, 1, 2]));
      expect(scores.get(2)).toBeGreaterThan(scores.get(1)!);
      expect(scores.get(0)).toBe(0);
      expect(usage).toEqual({ searchUnits: 1, totalTokens: expect.any(Number) });
      expect(id).toEqual(expect.any(String));
    });

    test('has at most top_n results', async () => {
      expect((await adapter.rerank({ topN: 1 })).results).toMatchObject([{ index: 2 }]);
      expect(asked(adapter)).toMatchObject({ top_n: 1 });
    });

    test('the request has each document as plain text', async () => {
      await adapter.rerank();
      expect(asked(adapter)).toEqual({
        model: 'rerank-1',
        query: 'the old lighthouse',
        documents: ['a lake in winter', 'the lighthouse', 'an old lighthouse by the sea'],
      });
    });

    test('the request has the caller’s options, which override no other field', async () => {
      await adapter.rerank({ options: { max_tokens_per_doc: 9, query: 'x', model: 'x', documents: [] } });
      expect(asked(adapter)).toMatchObject({
        max_tokens_per_doc: 9,
        model: 'rerank-1',
        query: 'the old lighthouse',
      });
    });
  });
}

const result = (index: unknown, score: unknown) => ({ index, relevance_score: score });

function describeAnswers(adapter: RerankAdapterUnderTest): void {
  describe('an answer', () => {
    test.each([
      ['of Cohere by the search', { meta: { billed_units: { search_units: 3 } } }, { searchUnits: 3 }],
      ['of Cohere by the token', { meta: { billed_units: { input_tokens: 70 } } }, { totalTokens: 70 }],
      ['of Jina', { usage: { total_tokens: 70 } }, { totalTokens: 70 }],
      ['of vLLM', { usage: { prompt_tokens: 70, total_tokens: 70 } }, { totalTokens: 70 }],
      ['that is none', { meta: { billed_units: { search_units: -1 } }, usage: { total_tokens: 0.5 } }, {}],
      ['of nobody', { meta: null, usage: null }, {}],
    ])('gives usage from the count %s', async (_, counts, usage) => {
      const answer = await adapter.answered({ results: [result(0, 0.5)], ...counts });
      expect(answer).toEqual({ results: [{ index: 0, relevanceScore: 0.5 }], usage });
    });

    test.each([
      ['no results', { results: [] }],
      ['results that are no list', { results: { 0: result(0, 1) } }],
      ['a result that is no object', { results: [null] }],
      ['a result without a score', { results: [result(0, null)] }],
      ['a result of no document', { results: [result(3, 0.5)] }],
      ['a result before the first', { results: [result(-1, 0.5)] }],
      ['a result between two documents', { results: [result(0.5, 0.5)] }],
      ['two results of one document', { results: [result(1, 0.5), result(1, 0.4)] }],
    ])('fails as invalid_response with %s', async (_, body) => {
      const error = await failureOf(adapter.answered(body));
      expect(error).toMatchObject({ code: 'invalid_response', retryable: true });
    });

    test('fails with the code of an error in a 200', async () => {
      const error = { message: 'overloaded', type: 'overloaded_error' };
      expect(await failureOf(adapter.answered({ error }))).toMatchObject({ code: 'overloaded' });
    });
  });
}

function describeFailures(adapter: RerankAdapterUnderTest): void {
  describe('a failure', () => {
    test.each([
      [400, 'invalid_request', false],
      [401, 'unauthorized', false],
      [404, 'not_found', false],
      [422, 'invalid_request', false],
      [429, 'rate_limited', true],
      [498, 'invalid_request', false],
      [499, 'connection_lost', true],
      [500, 'server_error', true],
      [503, 'overloaded', true],
      [504, 'timeout', true],
    ])('status %d becomes %s', async (status, code) => {
      adapter.client.upstream.addFaults({ kind: 'status', on: 'rerank', status, retryAfter: '3' });
      expect(await failureOf(adapter.rerank())).toMatchObject({ code, status, retryAfterMs: 3_000 });
    });

    test.each([
      ['garbage', 'invalid_response'],
      ['wrong-shape', 'invalid_response'],
      ['drop', 'connection_lost'],
      ['drop-after', 'connection_lost'],
    ] as const)('the fault %s becomes %s', async (kind, code) => {
      // Twice: what is lost with a connection that was used before is asked again.
      adapter.client.upstream.addFaults({ kind, on: 'rerank', times: 2 });
      expect(await failureOf(adapter.rerank())).toMatchObject({ code, retryable: true });
    });

    test('has the code of an error in a 200', async () => {
      adapter.client.upstream.addFaults({ kind: 'error-body', on: 'rerank', code: 'rate_limit_exceeded' });
      expect(await failureOf(adapter.rerank())).toMatchObject({ code: 'rate_limited' });
    });

    test('has the code timeout when the vendor stays silent', async () => {
      await timedOut(adapter.client, { kind: 'hang', on: 'rerank' }, ({ requestId, timeoutMs }) =>
        adapter.rerank({}, adapter.newContext({ requestId, attemptMs: timeoutMs })),
      );
    });

    test('closes the connection when the caller aborts', async () => {
      adapter.client.upstream.addFaults({ kind: 'hang', on: 'rerank' });
      const [leaving, requestId] = [new AbortController(), newRequestId()];
      const context = adapter.newContext({ signal: leaving.signal, requestId });
      const error = failureOf(adapter.rerank({}, context));
      const request = await heldBy(adapter.client, requestId);
      leaving.abort();
      expect(await error).toMatchObject({ code: 'aborted', retryable: false });
      await closed(request);
    });
  });
}

function describePictures(adapter: RerankAdapterUnderTest): void {
  describe('a picture', () => {
    test('reaches the vendor unchanged as a data URL, with its text', async () => {
      await adapter.rerank({ documents: ['x', { image: PNG }, { text: 'y', image: PNG }] });
      expect(asked(adapter)['documents']).toEqual(['x', { image: PNG }, { text: 'y', image: PNG }]);
    });

    test('reaches the vendor as a data URL when the caller gives an address', async () => {
      const host = await startLoopbackServer((_request, response) => {
        response.setHeader('content-type', 'image/png').end(PNG_BYTES);
      });
      await adapter.rerank({ documents: [{ image: `${host.origin}/a` }, { image: PNG }] });
      await host.close();
      expect(asked(adapter)['documents']).toEqual([{ image: PNG }, { image: PNG }]);
    });

    test.each([
      ['at an address that is not allowed', 'http://169.254.169.254/a.png'],
      ['at a host that nobody knows', 'https://pictures.invalid/a.png'],
    ])('fails as invalid_request %s, before anything is sent', async (_, image) => {
      const before = adapter.client.upstream.requests('rerank').length;
      const error = await failureOf(adapter.rerank({ documents: [{ image }] }));
      expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
      expect(adapter.client.upstream.requests('rerank')).toHaveLength(before);
    });

    test('a request with 17 addresses of pictures fails as invalid_request', async () => {
      const documents = Array.from({ length: 17 }, () => ({ image: 'https://pictures.invalid/a.png' }));
      const error = await failureOf(adapter.rerank({ documents }));
      expect(error).toMatchObject({
        code: 'invalid_request',
        issue: { path: 'body', message: 'must give at most 16 pictures by address' },
      });
    });
  });
}

function describeBlindness(adapter: RerankAdapterUnderTest): void {
  test('a picture is refused before anything is sent', async () => {
    const before = adapter.client.upstream.requests('rerank').length;
    const error = await failureOf(adapter.rerank({ documents: [{ text: 'x', image: PNG }] }));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(adapter.client.upstream.requests('rerank')).toHaveLength(before);
  });
}
