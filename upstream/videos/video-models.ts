/** Lists the video models of the local upstream with the sizes and durations that they accept. */
import { createRandom } from '../media/palette.ts';
import { unknownModel } from '../parse-request.ts';

/**
 * The ways to report:
 * - `tokens`: `usage.completion_tokens` of a completed video, as Seedance does: pixels of 24 frames a second, by 1,024.
 * - `units`: the header `x-fal-billable-units` of a completed video, as fal does: one for each second.
 * - `credits`: `cost.credits` of every video that has ended, as Runway does: five for each second, and two for a video
 *   that failed or was cancelled.
 * - `deduction`: the text `data.final_unit_deduction` of a completed video, as Kling does: 1.75 for each second.
 * - `ticks`: `usage.cost_in_usd_ticks` of a completed video, as xAI does: the bill in money, 50,000,001 a second.
 * - `modalities`: `usage.output_tokens_by_modality` of a completed video, as Gemini Omni does: its pixels as in
 *   `tokens`, 25 tokens of sound a second, and 12 of text; beside them the tokens of the request.
 */
export type ChargeKind = 'tokens' | 'units' | 'credits' | 'deduction' | 'ticks' | 'modalities';

export interface VideoModel {
  id: string;
  seconds: { least: number; most: number; default: number };
  size: { accepts(width: number, height: number): boolean; default: string; rule: string };
  /** True: one file, rendered once, serves all requests, for benchmarks. */
  canned: boolean;
  /** The way in which the server reports what it bills. Absent: it reports nothing. */
  charges?: ChargeKind;
}

const CLIP: Omit<VideoModel, 'id'> = {
  seconds: { least: 1, most: 20, default: 4 },
  size: {
    accepts: (width, height) =>
      [width, height].every((side) => side >= 128 && side <= 2560 && side % 2 === 0) &&
      width * height <= 2560 * 1080,
    default: '640x360',
    rule: 'even sides from 128 to 2560, at most 2560x1080 pixels',
  },
  canned: false,
};

const MODELS: VideoModel[] = [
  { ...CLIP, id: 'clip-1' },
  { ...CLIP, id: 'clip-tokens', charges: 'tokens' },
  { ...CLIP, id: 'clip-units', charges: 'units' },
  { ...CLIP, id: 'clip-credits', charges: 'credits' },
  { ...CLIP, id: 'clip-deduction', charges: 'deduction' },
  { ...CLIP, id: 'clip-ticks', charges: 'ticks' },
  { ...CLIP, id: 'clip-modalities', charges: 'modalities' },
  {
    id: 'clip-canned',
    seconds: { least: 1, most: 1, default: 1 },
    size: {
      accepts: (width, height) => width === 320 && height === 180,
      default: '320x180',
      rule: 'only 320x180',
    },
    canned: true,
  },
];

/** Returns the model. Throws UpstreamError if it does not exist. */
export function findModel(id: unknown): VideoModel {
  const model = MODELS.find((candidate) => candidate.id === id);
  if (model !== undefined) return model;
  throw unknownModel(id);
}

/** Returns a seed derived from the prompt, so that the same request gives the same file. */
export function defaultSeed(prompt: string): number {
  return Math.floor(createRandom(prompt)() * 2 ** 31);
}
