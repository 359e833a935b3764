import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { rankByWords } from '../../upstream/rerank/rerank-capability.ts';
import { startUpstream, type UpstreamClient } from './upstream-client.ts';

let client: UpstreamClient;

beforeAll(async () => {
  client = await startUpstream();
});
afterEach(() => client.upstream.clearFaults());
afterAll(() => client.upstream.close());

interface Answer {
  results: { index: number; relevance_score: number }[];
  meta: { billed_units: { search_units: number }; tokens: { input_tokens: number } };
  usage: { total_tokens: number };
}

async function post(body: object): Promise<{ status: number; body: Answer & { error?: object } }> {
  const request = { model: 'rerank-1', query: 'old lighthouse', documents: ['x'], ...body };
  const answer = await client.call('POST', '/v1/rerank', request);
  return { status: answer.status, body: (await answer.json()) as Answer };
}

describe('the local rerank', () => {
  const documents = ['a lake', 'the lighthouse', 'an old lighthouse'];

  test('sorts by shared terms, always in the same order', async () => {
    const { body } = await post({ documents });
    expect(body.results.map(({ index }) => index)).toEqual([2, 1, 0]);
    expect((await post({ documents })).body.results).toEqual(body.results);
  });

  test('counts usage in the fields of Cohere and of Jina', async () => {
    const { body } = await post({ documents: Array.from({ length: 101 }, () => 'one two') });
    // Two of the query and two of the document, each time; words of more than eight letters are two.
    expect(body).toMatchObject({
      meta: { billed_units: { search_units: 2 }, tokens: { input_tokens: 505 } },
      usage: { total_tokens: 505 },
    });
  });

  test('returns at most top_n results', async () => {
    expect((await post({ documents, top_n: 1 })).body.results).toHaveLength(1);
  });

  test.each([
    ['an unknown model', { model: 'echo-1' }, 404, 'model'],
    ['no documents', { documents: [] }, 400, 'documents'],
    ['no query', { query: '' }, 400, 'query'],
    ['the best none', { top_n: 0 }, 400, 'top_n'],
    ['more than its context', { documents: ['x '.repeat(8_192)] }, 400, 'documents'],
  ])('refuses %s in OpenAI’s envelope', async (_, more, status, param) => {
    const answer = await post(more);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  test('applies faults of a request to that request only', async () => {
    const faults = [{ kind: 'status', on: 'rerank', status: 503 }];
    expect((await post({ faults })).status).toBe(503);
    expect((await post({})).status).toBe(200);
  });
});

describe('relevance', () => {
  test('equals zero without a shared term and stays below one', () => {
    const [none, all] = rankByWords('Sea sea!', ['lake', 'sea sea sea sea']);
    expect(none).toBe(0);
    expect(all).toBeGreaterThan(0);
    expect(all).toBeLessThan(1);
  });

  test('grows for a rare term and in a short text', () => {
    const [common = 0, rare = 0, long = 0] = rankByWords('the tide', [
      'the boat',
      'a tide',
      'a tide and much else besides that nobody asked for',
      'the bridge',
      'the road',
    ]);
    expect(rare).toBeGreaterThan(common);
    expect(rare).toBeGreaterThan(long);
  });

  test('equals zero for texts without any term', () => {
    expect(rankByWords('?', ['', '!'])).toEqual([0, 0]);
  });
});
