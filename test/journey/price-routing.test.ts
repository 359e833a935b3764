import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { addChatModel, addEmbeddingsModel, addRerankModel } from '../support/catalog.ts';
import { askChat, bodyOf } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const EDGE = 1_000;

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await startGateway({
    env: { PROVIDER_EVEN_API_KEY: 'upstream-key', PROVIDER_SECOND_API_KEY: 'upstream-key' },
  });
  caller = createCaller(gateway.origin, gateway.apiKey);
  const endpoints = [
    {
      provider: 'local',
      pricing: {
        prompt: '0.000001',
        completion: '0',
        overrides: [{ minPromptTokens: EDGE, prompt: '0.00001' }],
      },
    },
    { provider: 'even', adapter: 'openai-compatible', pricing: { prompt: '0.000002', completion: '0' } },
  ];
  await addChatModel(gateway, 'routed/chat', endpoints);
  await addEmbeddingsModel(gateway, 'routed/embeddings', endpoints);
  const searches = {
    prompt: '0',
    completion: '0',
    searchUnit: '0.001',
    overrides: [{ validFrom: '2026-01-01', searchUnit: '0.01' }],
  };
  await addRerankModel(gateway, 'routed/rerank', [
    { provider: 'local', pricing: searches },
    { provider: 'second', adapter: 'cohere', pricing: { prompt: '0', completion: '0', searchUnit: '0.002' } },
  ]);
});

afterAll(() => gateway.close());

/** Four letters are about a token, and each may be a token of its own. */
const [SHORT, MEDIUM, LONG] = [400, 2_000, 8_000].map((letters) => 'word '.repeat(letters / 5)) as [
  string,
  string,
  string,
];

const byPrice = { sort: 'price' };
const atMost = { max_price: { prompt: 5 }, sort: 'price' };

const askFor: Record<string, (text: string, provider: object) => Promise<Response>> = {
  chat: (content, provider) =>
    askChat(gateway, { model: 'routed/chat', messages: [{ role: 'user', content }], provider }),
  embeddings: (input, provider) =>
    caller.call('POST', '/embeddings', { body: { model: 'routed/embeddings', input, provider } }),
};

describe.each(Object.keys(askFor))(
  'an endpoint with other prices for long prompts is chosen for %s',
  (operation) => {
    test.each([
      ['sorts by the first prices for a short prompt', SHORT, byPrice, 'Local upstream'],
      ['sorts by the first prices while the estimate is below the edge', MEDIUM, byPrice, 'Local upstream'],
      ['sorts by the higher prices for a long prompt', LONG, byPrice, 'even'],
      ['admits the endpoint under max_price for a short prompt', SHORT, atMost, 'Local upstream'],
      ['skips it if the prompt may reach a price above max_price', MEDIUM, atMost, 'even'],
    ])('the endpoint is chosen by its price: %s', async (_promise, text, provider, expected) => {
      const answer = await bodyOf<{ provider: string }>(await askFor[operation]!(text, provider));
      expect(answer.provider).toBe(expected);
    });
  },
);

describe('provider.max_price', () => {
  test('leaves no endpoint when the only named one may cost more', async () => {
    const provider = { ...atMost, only: ['local'] };
    const error = await errorOf(await askFor['chat']!(MEDIUM, provider));
    expect(error).toMatchObject({ code: 404 });
  });

  test('holds the price of this date against a limit for rankings', async () => {
    const provider = { max_price: { request: 0.005 }, sort: 'price' };
    const body = { model: 'routed/rerank', query: 'a', documents: ['b'], provider };
    const answer = await bodyOf<{ provider: string }>(await caller.call('POST', '/rerank', { body }));
    expect(answer.provider).toBe('second');
  });
});
