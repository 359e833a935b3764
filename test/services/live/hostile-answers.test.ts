import { describe, expect, test } from '@jest/globals';
import type { ChatChunk, ChatCompletion } from '../../../providers/chat-adapter.ts';
import type { EmbeddingList } from '../../../providers/embeddings-adapter.ts';
import type { RerankAnswer } from '../../../providers/rerank-adapter.ts';
import type { ChatBody } from '../../../services/live/chat/chat-body.ts';
import { createChatService } from '../../../services/live/chat/chat-service.ts';
import { createEmbeddingsService } from '../../../services/live/embeddings-service.ts';
import { createRerankService } from '../../../services/live/rerank/rerank-service.ts';
import { createLiveScene, liveCall, sent, trap } from '../../support/live-scene.ts';
import { sentText } from '../../support/sent-text.ts';

interface Answers {
  chat?: () => ChatCompletion;
  chunks?: () => ChatChunk[][];
  embeddings?: () => EmbeddingList;
  ranking?: () => RerankAnswer;
}

/** The services over an upstream that answers so. */
function services({ chat, chunks, embeddings, ranking }: Answers) {
  const scene = createLiveScene({
    chat: {
      cacheControl: false,
      complete: async () => chat!(),
      stream: async () => sent(chunks!()),
    },
    embeddings: { embed: async () => embeddings!() },
    rerank: { acceptsImages: false, rerank: async () => ranking!() },
  });
  return {
    ...scene,
    chat: createChatService(scene.deps),
    embeddings: createEmbeddingsService(scene.deps),
    rerank: createRerankService(scene.deps),
  };
}

type Services = ReturnType<typeof services>;

const chatCall = () => liveCall<ChatBody>({ model: 'm/one', messages: [{ content: 'Hello' }] });
const embeddingsCall = () => liveCall({ model: 'm/one', input: 'Hello' });
const rerankCall = () => liveCall({ model: 'm/one', query: 'Hello', documents: ['Hi'] });

const answer = (): ChatCompletion => ({
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
});
const chunk = (): ChatChunk => ({ choices: [{ index: 0, finish_reason: 'stop', delta: { content: 'Hi' } }] });
const usages = [
  { prompt_tokens: NaN, completion_tokens: 1 },
  { prompt_tokens: 1e308, completion_tokens: Infinity },
  { prompt_tokens: -1, completion_tokens: 0.5, prompt_tokens_details: { cached_tokens: 1e300 } },
  { prompt_tokens: Number.MAX_SAFE_INTEGER, completion_tokens: Number.MAX_SAFE_INTEGER },
];

describe('an answer that cannot be metered', () => {
  const chat = (made: Services) => made.chat.create(chatCall());
  const embeddings = (made: Services) => made.embeddings.embed(embeddingsCall());
  const rerank = (made: Services) => made.rerank.rank(rerankCall());
  const broken = (): never => {
    throw new TypeError('not this');
  };

  test.each<[string, Answers, (made: Services) => Promise<unknown>]>([
    ['whole', { chat: () => trap(answer(), 'usage') }, chat],
    ['whole, in its choices', { chat: () => trap(answer(), 'choices') }, chat],
    ['of vectors', { embeddings: () => trap({ data: [] }, 'usage') }, embeddings],
    ['of results', { ranking: () => trap({ results: [], usage: {} }, 'results') }, rerank],
    [
      'of results that were counted wrong',
      { ranking: () => ({ results: [], usage: { totalTokens: NaN } }) },
      rerank,
    ],
    ['that broke its adapter', { chat: broken }, chat],
  ])('fails its generation, costs nothing and releases its reservation: %s', async (_what, answers, ask) => {
    const made = services(answers);
    await expect(ask(made)).rejects.toMatchObject({
      code: 'internal',
      options: { headers: { 'x-generation-id': expect.stringMatching(/^gen-/) } },
    });
    expect(made.rows).toMatchObject([{ status: 'failed', costNanos: 0n }]);
    expect(made.reserved()).toBe(0);
  });

  test('ends its stream with an error and leaves nothing reserved', async () => {
    const chunks = () => [[chunk()], [trap({ choices: [] }, 'usage')]];
    const { chat, rows, reserved } = services({ chunks });
    const { events } = await chat.stream(chatCall());
    expect(await sentText(events)).toContain('"error"');
    expect(rows).toMatchObject([{ status: 'failed' }]);
    expect(reserved()).toBe(0);
  });
});

describe('a malformed usage', () => {
  test.each(usages)('costs what its valid counts cost, and nothing negative: %j', async (usage) => {
    const { chat, embeddings, rows, reserved } = services({
      chat: () => ({ ...answer(), usage }),
      chunks: () => [[chunk()], [{ choices: [], usage }]],
      embeddings: () => ({ data: [{ embedding: [1], index: 0 }], usage }),
    });
    await chat.create(chatCall());
    await sentText((await chat.stream(chatCall())).events);
    await embeddings.embed(embeddingsCall());
    expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
    for (const { costNanos } of rows) expect(costNanos).toBeGreaterThanOrEqual(0n);
    expect(reserved()).toBe(0);
  });
});

describe('a ledger that refuses the row', () => {
  test('leaves nothing reserved', async () => {
    const { chat, rows, reserved } = services({ chat: answer, chunks: () => [[chunk()]] });
    rows.push = () => {
      throw new Error('no room');
    };
    await expect(chat.create(chatCall())).rejects.toThrow('no room');
    expect(await sentText((await chat.stream(chatCall())).events)).toContain('"error"');
    expect(reserved()).toBe(0);
  });
});
