import { expect, test } from '@jest/globals';
import type { LiveModel } from '../../../domain/catalog/catalog.ts';
import type { TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import type { ChatCompletion } from '../../../providers/chat-adapter.ts';
import type { ChatBody } from '../../../services/live/chat/chat-body.ts';
import { createChatService } from '../../../services/live/chat/chat-service.ts';
import { createLiveScene, liveCall } from '../../support/live-scene.ts';

const ANSWER: ChatCompletion = {
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
};

/** Returns the row of a chat that is answered so, in a workspace with a destination. */
async function chatRow(
  answer: Partial<ChatCompletion>,
  pricing: Partial<TokenPricing> = {},
): Promise<GenerationRecord> {
  const { deps, rows } = createLiveScene({
    chat: {
      cacheControl: false,
      complete: async () => structuredClone({ ...ANSWER, ...answer }),
      stream: () => Promise.reject(new Error('nothing is streamed')),
    },
  });
  const { catalog } = deps;
  const model = catalog.findLiveModel('m/one', 'chat')!;
  const endpoints = model.endpoints.map((endpoint) => ({
    ...endpoint,
    pricing: { ...endpoint.pricing, ...pricing },
  }));
  const service = createChatService({
    ...deps,
    catalog: { ...catalog, findLiveModel: () => ({ ...model, endpoints }) as LiveModel },
    settingsOf: () => ({ hasDestinations: true, isObservabilityBroadcastEnabled: true }) as never,
  });
  await service.create(liveCall<ChatBody>({ model: 'm/one', messages: [{ content: 'Hello' }] }));
  return rows[0]!;
}

test('cached and reasoning tokens with their own prices are separate parts of the cost', async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };
  const prices = { inputCacheRead: '0.0001', internalReasoning: '0.002', request: '0.5' };
  const { broadcast, costNanos } = await chatRow({ usage }, prices);
  expect(broadcast?.costs).toEqual({
    prompt: '40000000',
    completion: '6000000',
    cacheRead: '6000000',
    reasoning: '8000000',
    request: '500000000',
  });
  expect(costNanos).toBe(560_000_000n);
});

test.each([
  [40, { prompt: '38000000', completion: '10000000', cacheRead: '200000' }],
  [41, { prompt: '195000000', completion: '30000000', cacheRead: '400000' }],
])(
  'the parts of the cost are at the prices that apply to %i tokens and add up to the bill',
  async (tokens, costs) => {
    const overrides = [
      { minPromptTokens: 40, prompt: '0.005', completion: '0.003' },
      { minPromptTokens: 40, inputCacheRead: '0.0002' },
    ];
    const usage = {
      prompt_tokens: tokens,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 2 },
    };
    const { broadcast, costNanos } = await chatRow({ usage }, { inputCacheRead: '0.0001', overrides });
    expect(broadcast?.costs).toEqual(costs);
    expect(Object.values(costs).reduce((sum, part) => sum + BigInt(part), 0n)).toBe(costNanos);
  },
);

test.each<[string, unknown, string | undefined]>([
  ['a name', 'gpt-4o-2024-11-20', 'gpt-4o-2024-11-20'],
  ['a name of 200 characters', 'm'.repeat(200), 'm'.repeat(200)],
  ['a longer text', 'm'.repeat(201), undefined],
  ['a number', 4, undefined],
  ['an empty text', '', undefined],
])(
  'the answering model is recorded from a text of at most 200 characters: %s',
  async (_what, model, recorded) => {
    const { broadcast } = await chatRow({ model });
    expect(broadcast?.responseModel).toBe(recorded);
  },
);
