/** Reads what the local upstream reports as billed, in the ways that vendors document. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Amount, readAmount } from '../../domain/amount.ts';
import type { VendorReport } from '../../domain/catalog/video-meters.ts';

const charged = z.object({
  usage: z.object({ completion_tokens: z.unknown() }).optional().catch(undefined),
  cost: z.object({ credits: z.unknown() }).optional().catch(undefined),
});

/**
 * Returns the reported units of a video; undefined if there are none. fal has the header `x-fal-billable-units`
 * (fal.ai/docs), Runway `cost.credits` in a task that has ended (its SDK 4.20.1), and Seedance
 * `usage.completion_tokens`, all as of November 2026.
 */
export function readLocalCharges(video: unknown, headers: IncomingHttpHeaders): VendorReport | undefined {
  const { usage, cost } = charged.catch({}).parse(video);
  const videoTokens = readAmount(usage?.completion_tokens);
  const units = readAmount(headers['x-fal-billable-units']) ?? readAmount(cost?.credits);
  if (videoTokens === undefined && units === undefined) return undefined;
  return {
    ...(videoTokens !== undefined && { video_tokens: videoTokens }),
    ...(units !== undefined && { billable_units: units }),
  };
}

/**
 * Returns the reported units of pictures or speech. fal has the header `x-fal-billable-units`, and ElevenLabs
 * `character-cost` (elevenlabs.io/docs/api-reference/text-to-speech), as of November 2026.
 */
export function readLocalUnits(headers: IncomingHttpHeaders): Amount | undefined {
  return readAmount(headers['x-fal-billable-units'] ?? headers['character-cost']);
}
