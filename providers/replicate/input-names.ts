/** A model's field names for its frames. */
export interface InputNames {
  firstFrame: string;
  lastFrame: string;
}

const DEFAULT_NAMES: InputNames = { firstFrame: 'image', lastFrame: 'last_frame_image' };

/**
 * The field names by model. Every model on Replicate has its own input schema. Most video models share `prompt`,
 * `duration`, `resolution`, `aspect_ratio`, `seed` and `generate_audio`, but the names of the frames differ. These
 * names are from the input schemas on the models' pages (replicate.com/<owner>/<model>/api), as of November 2026. A
 * model that is not listed has the usual names, like ByteDance's Seedance.
 */
const NAMES: [modelPrefix: string, names: Partial<InputNames>][] = [
  ['google/veo-', { lastFrame: 'last_frame' }],
  ['kwaivgi/kling-', { firstFrame: 'start_image', lastFrame: 'end_image' }],
  ['minimax/', { firstFrame: 'first_frame_image' }],
];

export function inputNamesOf(upstreamModel: string): InputNames {
  const [, names = {}] = NAMES.find(([prefix]) => upstreamModel.startsWith(prefix)) ?? [];
  return { ...DEFAULT_NAMES, ...names };
}
