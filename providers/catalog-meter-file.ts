/** Validates the units that vendors report, in a catalog file. */
import { z } from 'zod';
import { readAmount } from '../domain/amount.ts';
import type { VideoEndpoint } from '../domain/catalog/catalog.ts';
import { type LiveUnits, UNIT_RATES, type UnitRates } from '../domain/catalog/live-units.ts';
import { METERS, type MeterRates, type VideoMeters } from '../domain/catalog/video-meters.ts';

const amount = z
  .string()
  .refine((text) => readAmount(text) === text, 'must be a decimal number with at most six digits');

const rates: z.ZodType<MeterRates> = z.record(
  z.string().regex(/^per_(video|second(_\w+)?)$/, 'must be per_video, per_second or per_second_<ending>'),
  amount,
);

export const videoMeters: z.ZodType<VideoMeters> = z.partialRecord(
  z.enum(METERS),
  z.strictObject({ usual: rates.exactOptional(), most: rates }),
);

const unitRates: z.ZodType<UnitRates> = z.partialRecord(z.enum(UNIT_RATES), amount);

/** The schema of the units of pictures and speech. */
export const liveUnits: z.ZodType<LiveUnits> = z.strictObject({
  usual: unitRates.exactOptional(),
  most: unitRates.refine((rates) => Object.keys(rates).length > 0, 'must have a number of units'),
});

/** Adds an issue for each unit that could be used without a price, or without a limit for the reservation. */
export function checkMeters(
  { pricingSkus, meters = {}, capabilities }: Pick<VideoEndpoint, 'pricingSkus' | 'meters' | 'capabilities'>,
  context: z.RefinementCtx,
): void {
  const addIssue = (path: string[], message: string): void =>
    context.addIssue({ code: 'custom', path, message });
  for (const meter of METERS) {
    const counted = meters[meter];
    const isPriced = Object.keys(pricingSkus).some((sku) => sku.startsWith(meter));
    if (counted === undefined) {
      if (isPriced) addIssue(['meters'], `must have ${meter}, because pricingSkus has its price`);
      continue;
    }
    if (pricingSkus[meter] === undefined)
      addIssue(['pricingSkus'], `must have ${meter}, because meters has it`);
    const isLimited =
      counted.most['per_video'] !== undefined ||
      (counted.most['per_second'] !== undefined && capabilities.durations !== null);
    if (!isLimited) {
      const message = 'must have per_video, or per_second if the endpoint has durations';
      addIssue(['meters', meter, 'most'], message);
    }
  }
}
