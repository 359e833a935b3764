import { expect, test } from '@jest/globals';
import type { LiveEndpoint } from '../../../../domain/catalog/catalog.ts';
import type { TokenPricing } from '../../../../domain/catalog/token-pricing.ts';
import type { ImageFit } from '../../../../domain/live/image-fit.ts';
import type { OpenAiUsage } from '../../../../providers/chat-adapter.ts';
import { billImages } from '../../../../services/live/images/images-bill.ts';

const BY_TOKEN = { prompt: '0.001', completion: '0.001' };
const BY_PICTURE = { prompt: '0', completion: '0', outputImage: '0.1' };
const fit = { n: 1, width: 1_000, height: 1_000 } as unknown as ImageFit;

function shown(pricing: TokenPricing, counted: OpenAiUsage | undefined, references: number) {
  const place = { endpoint: { pricing } as LiveEndpoint };
  const asked = { promptTokens: 1, references, fit };
  const usage = billImages(place, asked, { pictures: 1, partials: 0, counted, stated: undefined }).shown;
  return [usage.input_tokens, usage.input_tokens_details, usage.output_tokens, usage.output_tokens_details];
}

const counted = (prompt_tokens_details: OpenAiUsage['prompt_tokens_details']): OpenAiUsage => ({
  prompt_tokens: 10,
  completion_tokens: 90,
  prompt_tokens_details: prompt_tokens_details ?? null,
  completion_tokens_details: { image_tokens: 80 },
});
const made = { text_tokens: 10, image_tokens: 80 };

test("a provider's split into text and image tokens is kept", () => {
  const split = { text_tokens: 4, image_tokens: 6 };
  expect(shown(BY_TOKEN, counted(split), 1)).toEqual([10, split, 90, made]);
});

test('a prompt without images counts as text only', () => {
  expect(shown(BY_TOKEN, counted(null), 0)).toEqual([10, { text_tokens: 10, image_tokens: 0 }, 90, made]);
});

test('a prompt with images has no split if the provider sent none', () => {
  expect(shown(BY_TOKEN, counted(null), 1)).toEqual([10, undefined, 90, made]);
});

test('an estimate has the split that it was made from', () => {
  const [input, split, output, ofOutput] = shown(BY_TOKEN, undefined, 1);
  expect([input, split]).toEqual([1_001, { text_tokens: 1, image_tokens: 1_000 }]);
  expect(ofOutput).toEqual({ text_tokens: 0, image_tokens: output });
});

test('an image with its own price has no split of output tokens', () => {
  expect(shown(BY_PICTURE, undefined, 0)).toEqual([0, { text_tokens: 0, image_tokens: 0 }, 0, undefined]);
});
