/** Declares the shapes of token prices in answers. */
import { z } from 'zod';
import { WEEKDAYS } from '../../domain/catalog/token-pricing.ts';
import { MODALITIES } from '../../domain/modality.ts';
import { text } from '../text.ts';

const price = z.string().meta({ description: 'US dollars, as a decimal.' });

const optionalPrices = {
  image_token: price.optional().meta({ description: 'Per token of a picture in the prompt.' }),
  video_token: price.optional().meta({ description: 'Per token of a video in the prompt.' }),
  image_output: price.optional().meta({ description: 'Per token of a generated picture.' }),
  character: price.optional().meta({ description: 'Per spoken character of a speech model.' }),
  output_second: price.optional().meta({ description: 'Per second of generated speech.' }),
  audio: price.optional(),
  audio_output: price.optional(),
  input_cache_read: price.optional(),
  input_audio_cache: price
    .optional()
    .meta({ description: 'Per audio token of the prompt that was read from the cache.' }),
  input_cache_write: price.optional(),
  input_cache_write_1h: price.optional(),
  internal_reasoning: price.optional(),
};

const clock = z
  .int()
  .min(0)
  .max(2_359)
  .refine((time) => time % 100 < 60, 'must be a time of day as HHMM, such as 1030');

const MAX_TOKENS = 2_147_483_647;
const MAX_TIER_CHARACTERS = 64;

/** The conditions of an entry of `overrides`. */
export const overrideConditions = {
  min_prompt_tokens: z
    .int()
    .min(1)
    .max(MAX_TOKENS)
    .optional()
    .meta({ description: 'The whole prompt, cached tokens included, has more tokens than this.' }),
  utc_start: clock.optional().meta({
    description: 'The first minute of a daily window of UTC, as a number HHMM: 1030 is 10:30.',
  }),
  utc_end: clock.optional().meta({
    description:
      'The end of the window, which is outside of it. An earlier time than `utc_start` is on the next day.',
  }),
  utc_days: z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .max(WEEKDAYS.length)
    .optional()
    .meta({ description: 'The days of UTC; absent: every day.' }),
  utc_moment: z.enum(['start', 'end']).optional().meta({
    description: 'The moment of the request that decides about window and days; absent: its start.',
  }),
  service_tier: text({ min: 1, max: MAX_TIER_CHARACTERS })
    .optional()
    .meta({ description: 'The service tier that is billed.' }),
  input_modality: z
    .enum(MODALITIES)
    .optional()
    .meta({ description: 'The prompt has something of this kind.' }),
  output_modality: z
    .enum(MODALITIES)
    .optional()
    .meta({ description: 'The answer has something of this kind.' }),
  valid_from: z
    .union([z.iso.date(), z.iso.datetime()])
    .optional()
    .meta({ description: 'The date or time from which the entry applies.' }),
};

export const pricingOverride = z
  .object({
    ...overrideConditions,
    prompt: price.optional(),
    completion: price.optional(),
    request: price.optional(),
    image: price.optional(),
    ...optionalPrices,
  })
  .meta({
    id: 'PricingOverride',
    description:
      'Prices that replace the others if all conditions of the entry hold. Later entries win, for each price by itself; a price that no entry has stays.',
  });

export const modelPricing = z
  .object({
    prompt: price.meta({ description: 'Per token, like all other prices unless stated otherwise.' }),
    completion: price,
    request: price.meta({ description: 'Per request, or per search of a rerank model.' }),
    image: price.meta({ description: 'Per picture in the prompt.' }),
    ...optionalPrices,
    overrides: z
      .array(pricingOverride)
      .optional()
      .meta({ description: 'Prices under conditions, such as those of long prompts.' }),
  })
  .meta({
    id: 'ModelPricing',
    description:
      'Prices per token, unless stated otherwise. `/images/models` and `/videos/models` list prices per piece or second.',
  });

export type ModelPricingRecord = z.output<typeof modelPricing>;
const conditions = z.object(overrideConditions);

export type PriceConditionsRecord = z.output<typeof conditions>;
export type PricingOverrideRecord = z.output<typeof pricingOverride>;
