import { describe, expect, test } from '@jest/globals';
import type { Modality } from '../../../../domain/modality.ts';
import type { Target } from '../../../../domain/routing/routing.ts';
import {
  answerCount,
  type RequestedText,
  estimateText,
  limitOf,
  reasoningOf,
} from '../../../../services/live/pipeline/text-estimate.ts';
import type { PromptFacts } from '../../../../services/live/prompt/prompt-facts.ts';

describe('the output limit', () => {
  test.each<[object, number | undefined]>([
    [{}, undefined],
    [{ max_tokens: undefined, max_completion_tokens: null }, undefined],
    [{ max_tokens: 200 }, 200],
    [{ max_tokens: 200, max_completion_tokens: 300 }, 300],
    [{ max_tokens: 1, max_output_tokens: 300 }, 300],
    [{ max_tokens: '400' }, 400],
    [{ max_tokens: 1.5 }, 2],
    ...[0, -5, NaN, '', 'many', true, {}].map((max_tokens): [object, undefined] => [
      { max_tokens },
      undefined,
    ]),
    [{ max_tokens: Infinity }, 1e9],
    [{ max_tokens: 1e300 }, 1e9],
  ])('follows from the fields %p: %p', (fields, tokens) => {
    expect(limitOf(fields as Record<string, unknown>)).toBe(tokens);
  });

  test.each<[unknown, number]>([
    [undefined, 1],
    [null, 1],
    [8, 8],
    ['8', 8],
    [-1, 1],
    [{}, 1],
  ])('counts for as many answers as n, %p, asks for: %d', (n, count) => {
    expect(answerCount(n)).toBe(count);
  });
});

describe('the tokens for reasoning', () => {
  const none = { least: 0, most: 0 };
  const some = { least: 1_024, most: Infinity };
  const exactly = (tokens: number) => ({ least: tokens, most: tokens });

  test.each<[object, object]>([
    [{}, none],
    [{ reasoning: { max_tokens: 4_000 } }, exactly(4_000)],
    [{ reasoning: { effort: 'high' } }, some],
    [{ reasoning: { enabled: true } }, some],
    [{ reasoning: { enabled: false, max_tokens: 4_000 } }, none],
    [{ reasoning: { effort: 'none' } }, none],
    [{ reasoning: null, reasoning_effort: 'low' }, some],
    [{ reasoning: { exclude: true } }, none],
    [{ thinking: { type: 'disabled' } }, none],
    [{ thinking: { type: 'adaptive' } }, some],
    [{ thinking: { type: 'enabled', budget_tokens: 5_000 } }, exactly(5_000)],
    [{ thinking: { type: 'enabled', budget_tokens: 5_000 }, reasoning: { effort: 'none' } }, exactly(5_000)],
  ])('follow from the fields %p of any dialect: %p', (fields, reasoning) => {
    expect(reasoningOf(fields as Record<string, unknown>)).toEqual(reasoning);
  });
});

/** A token of the prompt costs a nanodollar, one of the answer ten, a picture that was made a hundred. */
function targetOf(more: object = {}): Target {
  const pricing = { prompt: '0.000000001', completion: '0.00000001', imageOutput: '0.0000001' };
  const endpoint = { pricing, contextLength: 10_000, maxCompletionTokens: 4_000, ...more };
  return { endpoint, model: { contextLength: null } } as Target;
}

function asked(more: Partial<RequestedText> = {}, prompt: Partial<PromptFacts> = {}): RequestedText {
  const facts: PromptFacts = {
    estimatedTokens: 100,
    estimatedAudio: 0,
    reserved: { text: 100, audio: 0, media: 0 },
    mostTokens: 400,
    images: 0,
    cacheWrite: 'none',
    modalities: [],
    serviceTier: undefined,
    askedAtMs: 0,
    hasMedia: false,
    ...prompt,
  };
  return {
    prompt: facts,
    limit: undefined,
    answers: 1,
    reasoning: { least: 0, most: 0 },
    modalities: ['text'],
    ...more,
  };
}

const TOKENS = { prompt: '0.000000001', completion: '0' };
const SOUND = { ...TOKENS, audio: '0.00000001' };
const VIDEO = { ...TOKENS, videoInput: '0.000000003', inputCacheWrite: '0.000000002' };
const CACHE = { ...TOKENS, inputCacheWrite: '0.00000000125', inputCacheWriteHour: '0.000000002' };

describe('a text estimate', () => {
  test('reserves for what the model makes unasked, where that costs more', () => {
    const overrides = [{ outputModality: 'image', completion: '0.0000001' }];
    const pricing = { prompt: '0', completion: '0.00000001', overrides };
    const { endpoint } = targetOf({ pricing });
    const most = (outputModalities: string[]) => {
      const model = { contextLength: null, outputModalities };
      return estimateText({ endpoint, model } as unknown as Target, asked({ limit: 10 })).output?.most;
    };
    expect([most(['text']), most(['text', 'image'])]).toEqual([100n, 1_000n]);
  });

  test("holds the caller's limit in full for all answers", () => {
    const { fixed, output } = estimateText(targetOf(), asked({ limit: 500, answers: 3 }));
    expect([fixed, output?.least, output?.most, output?.longest]).toEqual([
      100n,
      15_000n,
      15_000n,
      undefined,
    ]);
  });

  test.each<[string, object, number | undefined, bigint | null]>([
    ['what the endpoint makes', {}, undefined, 40_000n],
    ['what its adapter sends, where that is less', {}, 2_000, 20_000n],
    ['what the endpoint makes, where its adapter would send more', {}, 32_000, 40_000n],
    ['what its context leaves beside the prompt', { maxCompletionTokens: null }, undefined, 99_000n],
    ['unknown without any of them', { maxCompletionTokens: null, contextLength: null }, undefined, null],
  ])('has as its maximum %s', (_, endpoint, usual, most) => {
    const { output } = estimateText(targetOf(endpoint), asked(), usual);
    expect([output?.least, output?.most]).toEqual([10_240n, most]);
  });

  test("adds the reasoning budget to the adapter's limit and to the minimum", () => {
    const reasoning = { least: 1_500, most: 1_500 };
    const { output } = estimateText(targetOf(), asked({ reasoning }), 2_000);
    expect([output?.least, output?.most, output?.longest]).toEqual([25_240n, 35_000n, 3_500]);
  });

  test("expects reasoning of the usual limit's size when the caller sets no budget", () => {
    const reasoning = { least: 1_024, most: Infinity };
    const { output } = estimateText(targetOf({ maxCompletionTokens: 64_000 }), asked({ reasoning }), 2_000);
    expect([output?.least, output?.longest]).toEqual([20_480n, 4_000]);
  });

  test('needs at least one token for each answer', () => {
    const { output } = estimateText(targetOf(), asked({ answers: 5_000 }));
    expect(output?.least).toBe(50_000n);
  });

  test('needs at most what the endpoint can produce', () => {
    const { output } = estimateText(targetOf({ maxCompletionTokens: 300 }), asked());
    expect([output?.least, output?.most]).toEqual([3_000n, 3_000n]);
  });

  test('divides the money by the number of answers', () => {
    const { output } = estimateText(targetOf(), asked({ answers: 4 }));
    expect(output?.tokensFor(10_399n)).toBe(259);
  });

  test('counts with the most expensive token that the answer may contain', () => {
    const { output } = estimateText(targetOf(), asked({ limit: 10, modalities: ['text', 'image'] }));
    expect(output?.least).toBe(1_000n);
  });

  test('calls infinitely many tokens affordable at a free endpoint', () => {
    const free = targetOf({ pricing: { prompt: '0', completion: '0' } });
    const { fixed, output } = estimateText(free, asked());
    expect([fixed, output?.least, output?.most, output?.tokensFor(0n)]).toEqual([0n, 0n, 0n, Infinity]);
  });

  const text = 100;
  const A_VIDEO = { modalities: ['text', 'video'] as Modality[], reserved: { text, audio: 0, media: 50 } };
  test.each<[string, Partial<PromptFacts>, object, bigint]>([
    ['a picture at 2,000 tokens', { images: 1 }, {}, 2_100n],
    ['a picture as the catalog says', { images: 1 }, { tokensPerImage: 300 }, 400n],
    ['a file by its tokens', { reserved: { text, audio: 0, media: 700 } }, {}, 800n],
    ['a long file at the context', { reserved: { text, audio: 0, media: 70_000 } }, {}, 10_100n],
    ['a file elsewhere at the context', { reserved: { text, audio: 0, media: Infinity } }, {}, 10_100n],
    ['sound at its own price', { reserved: { text, audio: 50, media: 0 } }, { pricing: SOUND }, 600n],
    ['a video at its own price', { ...A_VIDEO }, { pricing: VIDEO }, 250n],
    ['a video beside a text to cache', { ...A_VIDEO, cacheWrite: 'minutes' }, { pricing: VIDEO }, 350n],
    ['two readings of a conversation that may be compacted', { mayBeCompacted: true }, {}, 200n],
    ['a prompt to cache at the price of cache writes', { cacheWrite: 'minutes' }, { pricing: CACHE }, 125n],
    ['a prompt to cache for an hour at its price', { cacheWrite: 'hour' }, { pricing: CACHE }, 200n],
  ])('holds %s', (_, prompt, endpoint, fixed) => {
    expect(estimateText(targetOf(endpoint), asked({}, prompt)).fixed).toBe(fixed);
  });

  test.each<[string, Partial<PromptFacts>, object, bigint]>([
    ['a token for each byte', {}, {}, 400n],
    ['the context, where the prompt has more bytes', { mostTokens: 70_000 }, {}, 10_000n],
    ['a whole context', { mostTokens: Infinity }, { contextLength: 1_000_000 }, 1_000_000n],
    ['a usual context where nothing is known', { mostTokens: Infinity }, { contextLength: null }, 128_000n],
    ['what it holds, where that is more', { reserved: { text: 900, audio: 0, media: 0 } }, {}, 900n],
    ['pictures as it holds them', { images: 1 }, {}, 2_400n],
    ['the price of videos', { ...A_VIDEO, cacheWrite: 'minutes' }, { pricing: VIDEO }, 1_200n],
    ['two readings, where it may be compacted', { mayBeCompacted: true }, {}, 800n],
    ['the price of cache writes', { cacheWrite: 'minutes' }, { pricing: CACHE }, 500n],
  ])('bounds the cost of the prompt by %s', (_, prompt, endpoint, most) => {
    expect(estimateText(targetOf(endpoint), asked({}, prompt)).mostFixed).toBe(most);
  });
});
