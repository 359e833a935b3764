import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import { addKey } from '../support/accounts.ts';
import { type BentVendor, piece, startBentVendor, whole } from '../support/bent-vendor.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, readEvents } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';

const MODEL = 'steps/long';
const EDGE = 272_000;
const OVERRIDES = [
  { minPromptTokens: EDGE, prompt: '0.000004', completion: '0.000015', inputCacheRead: '0.0000004' },
];
const PRICING = {
  prompt: '0.000002',
  completion: '0.00001',
  inputCacheRead: '0.0000002',
  overrides: OVERRIDES,
};

let gateway: Gateway;
let vendor: BentVendor;

beforeAll(async () => {
  vendor = await startBentVendor();
  gateway = await startGateway();
  count(1);
  await addChatModel(gateway, MODEL, [
    {
      provider: 'steps',
      adapter: 'openai-compatible',
      baseUrl: vendor.baseUrl,
      contextLength: 1_050_000,
      maxCompletionTokens: 128_000,
      pricing: PRICING,
    },
  ]);
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** The vendor counts so many tokens from now on, of which 100,000 are cached, and 1,000 of an answer. */
function count(promptTokens: number): void {
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: 1_000,
    total_tokens: promptTokens + 1_000,
    prompt_tokens_details: { cached_tokens: Math.min(promptTokens, 100_000) },
  };
  const choice = whole({ content: 'Yes' }, 'stop');
  vendor.bend({ choice, events: [piece({ content: 'Yes' }), piece({}, 'stop')], usage });
}

describe('an endpoint with other prices above 272,000 tokens', () => {
  test.each([
    // 172,000 × 0.000002 + 100,000 × 0.0000002 + 1,000 × 0.00001
    [EDGE, 0.374],
    // 172,001 × 0.000004 + 100,000 × 0.0000004 + 1,000 × 0.000015
    [EDGE + 1, 0.743004],
  ])('bills a prompt of %i tokens, cached ones included, at %d dollars', async (tokens, cost) => {
    count(tokens);
    const { id, usage } = await completed(await askChat(gateway, { model: MODEL }));
    expect(usage).toMatchObject({ prompt_tokens: tokens, cost });
    const chunks = await readEvents(await askChat(gateway, { model: MODEL, stream: true }));
    expect(chunks.at(-1)!.usage).toMatchObject({ prompt_tokens: tokens, cost });
    for (const one of [id, chunks[0]!.id])
      expect(await getGeneration(createCaller(gateway.origin, gateway.apiKey), one)).toMatchObject({
        total_cost: cost,
      });
  });

  test('reserves by the higher prices once the prompt may be that long', async () => {
    // 100,000 tokens of an answer cost 1.0 or 1.5 dollars.
    const { token } = await addKey(gateway, { limitNanos: parseUsd('1.45') });
    const caller = createCaller(gateway.origin, token);
    count(1);
    const ask = (characters: number) => {
      const messages = [{ role: 'user', content: 'a'.repeat(characters) }];
      return askChat(gateway, { model: MODEL, messages, max_tokens: 100_000 }, caller);
    };
    await completed(await ask(EDGE - 1_000));
    expect(await errorOf(await ask(EDGE))).toMatchObject({ code: 402 });
  });

  test('shows them in the list of endpoints', async () => {
    const answer = await gateway.call('GET', `/models/${MODEL}/endpoints`);
    const { data } = (await answer.json()) as { data: { endpoints: { pricing: object }[] } };
    expect(data.endpoints[0]!.pricing).toMatchObject({
      prompt: '0.000002',
      overrides: [
        {
          min_prompt_tokens: EDGE,
          prompt: '0.000004',
          completion: '0.000015',
          input_cache_read: '0.0000004',
        },
      ],
    });
  });
});
