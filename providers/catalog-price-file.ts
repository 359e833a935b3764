/** Validates the prices of a catalog file. */
import { z } from 'zod';
import {
  MAX_OVERRIDES,
  PRICE_NAMES,
  type PriceOverride,
  type TokenPrices,
  type TokenPricing,
  WEEKDAYS,
} from '../domain/catalog/token-pricing.ts';
import { isStandardTier } from '../domain/live/service-tier.ts';
import { MODALITIES } from '../domain/modality.ts';
import { parseUsd } from '../domain/money.ts';
import { storableText, tokens } from './catalog-model-file.ts';

export const decimal = z.string().refine((text) => parses(text), 'must be a decimal amount of dollars');

const optional = decimal.exactOptional();
const optionalPrices = Object.fromEntries(PRICE_NAMES.map((name) => [name, optional])) as Record<
  keyof TokenPrices,
  typeof optional
>;

const clock = z
  .int()
  .min(0)
  .max(2_359)
  .refine((time) => time % 100 < 60, 'must be a time of day as HHMM');

const override: z.ZodType<PriceOverride> = z
  .strictObject({
    ...optionalPrices,
    minPromptTokens: tokens.exactOptional(),
    utcStart: clock.exactOptional(),
    utcEnd: clock.exactOptional(),
    utcDays: z.array(z.enum(WEEKDAYS)).min(1).max(7).exactOptional(),
    utcMoment: z.enum(['start', 'end']).exactOptional(),
    serviceTier: storableText(64)
      .refine((name) => !isStandardTier(name), 'must not be a name of the standard tier')
      .exactOptional(),
    inputModality: z.enum(MODALITIES).exactOptional(),
    outputModality: z.enum(MODALITIES).exactOptional(),
    validFrom: z.union([z.iso.date(), z.iso.datetime()]).exactOptional(),
  })
  .refine(
    ({ utcStart, utcEnd }) =>
      (utcStart === undefined) === (utcEnd === undefined) && (utcStart ?? -1) !== utcEnd,
    { path: ['utcEnd'], error: 'must be given together with utcStart, and differ from it' },
  )
  .refine((entry) => PRICE_NAMES.some((name) => entry[name] !== undefined), 'must have a price')
  .refine(
    (entry) => Object.keys(entry).some((name) => name !== 'utcMoment' && !(name in optionalPrices)),
    'must have a condition',
  );

/** The name of a picture's price: a size in pixels or a resolution, a quality, or both. */
const variant = z
  .string()
  .regex(
    /^(\d+x\d+|512|768|1k|1\.5k|2k|4k)?(^|_|$)(low|medium|high|xhigh|max)?$/,
    'must be a size or resolution, a quality, or both joined by _',
  );

export const tokenPricing: z.ZodType<TokenPricing> = z
  .strictObject({
    ...optionalPrices,
    prompt: decimal,
    completion: decimal,
    outputImages: z.record(variant, decimal).exactOptional(),
    overrides: z.array(override).min(1).max(MAX_OVERRIDES).exactOptional(),
  })
  .refine(({ outputImages, outputImage }) => outputImages === undefined || outputImage !== undefined, {
    path: ['outputImage'],
    error: 'must be given with outputImages, for pictures of other sizes and qualities',
  })
  .refine(
    ({ outputImages, overrides = [] }) =>
      outputImages === undefined || overrides.every((entry) => entry.outputImage === undefined),
    {
      path: ['overrides'],
      error: 'cannot have outputImage beside outputImages, whose prices have no conditions',
    },
  );

function parses(amount: string): boolean {
  try {
    return parseUsd(amount) >= 0n;
  } catch {
    return false;
  }
}
