/** Reads what the local upstream reports as billed, in the ways that vendors document. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Amount, readAmount } from '../../domain/amount.ts';
import { isFields, withoutUndefined } from '../../domain/fields.ts';
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import { readModalityTokens } from '../modality-tokens.ts';

const fields = z.record(z.string(), z.unknown()).catch({});
const charged = z.object({ usage: fields, cost: fields, data: fields });

/**
 * Returns the reported units of a video; undefined if there are none. The vendors' forms, as of November 2026:
 * - Seedance: `usage.completion_tokens`.
 * - Gemini Omni: `usage` of an interaction (`modality-tokens.ts`).
 * - fal: the header `x-fal-billable-units` (fal.ai/docs).
 * - Runway: `cost.credits` of a task that has ended (its SDK 4.20.1).
 * - Kling: `data.final_unit_deduction`, a decimal number as text (app.klingai.com, "Query Task").
 * - xAI: `usage.cost_in_usd_ticks`, the bill itself. A dollar has 10,000,000,000 ticks
 *   (docs.x.ai/developers/cost-tracking), so the price of this unit is 0.0000000001.
 */
export function readLocalCharges(video: unknown, headers: IncomingHttpHeaders): VendorReport | undefined {
  const { usage, cost, data } = charged.parse(isFields(video) ? video : {});
  const units =
    readAmount(headers['x-fal-billable-units']) ??
    readAmount(cost['credits']) ??
    readAmount(data['final_unit_deduction']) ??
    readAmount(usage['cost_in_usd_ticks']);
  const report: VendorReport = withoutUndefined({
    video_tokens: readAmount(usage['completion_tokens']),
    ...readModalityTokens(usage),
    billable_units: units,
  });
  return Object.keys(report).length === 0 ? undefined : report;
}

/**
 * Returns the reported units of pictures or speech. fal has the header `x-fal-billable-units`, and ElevenLabs
 * `character-cost` (elevenlabs.io/docs/api-reference/text-to-speech), as of November 2026.
 */
export function readLocalUnits(headers: IncomingHttpHeaders): Amount | undefined {
  return readAmount(headers['x-fal-billable-units'] ?? headers['character-cost']);
}
