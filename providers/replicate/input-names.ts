/** What a model calls the pictures it is given. */
export interface InputNames {
  firstFrame: string;
  lastFrame: string;
}

const USUAL_NAMES: InputNames = { firstFrame: 'image', lastFrame: 'last_frame_image' };

/**
 * Every model on Replicate has an input schema of its own. Most video models agree on `prompt`, `duration`,
 * `resolution`, `aspect_ratio`, `seed` and `generate_audio`; the frames have several names. These are from the
 * input schemas that the models' pages publish (replicate.com/<owner>/<model>/api), as of November 2026. A model
 * that no line fits has the usual names, as ByteDance's Seedance does.
 */
const NAMES: [modelPrefix: string, names: Partial<InputNames>][] = [
  ['google/veo-', { lastFrame: 'last_frame' }],
  ['kwaivgi/kling-', { firstFrame: 'start_image', lastFrame: 'end_image' }],
  ['minimax/', { firstFrame: 'first_frame_image' }],
];

export function inputNamesOf(upstreamModel: string): InputNames {
  const [, names = {}] = NAMES.find(([prefix]) => upstreamModel.startsWith(prefix)) ?? [];
  return { ...USUAL_NAMES, ...names };
}
