/** Translates a video request to the input of a model on Replicate. */
import type { VideoSubmitRequest } from '../video-adapter.ts';
import { checkDataUrls, rejectContinuation, rejectUnsupportedFields } from '../video-requests.ts';

const REFERENCE_LISTS = {
  image: 'reference_images',
  video: 'reference_videos',
  audio: 'reference_audios',
} as const;

/**
 * Builds the `input` of a prediction. Vendor options come first, so they cannot replace the priced fields. Pictures are
 * passed on unchanged: the vendor takes data URLs and fetches http URLs itself. Throws ProviderError `invalid_request`,
 * before anything is sent, for fields that the vendor lacks.
 */
export function createInput(request: VideoSubmitRequest): Record<string, unknown> {
  rejectUnsupportedFields(request);
  rejectContinuation(request);
  checkDataUrls(request);
  const named = {
    prompt: request.prompt,
    duration: request.durationSeconds,
    resolution: request.resolution,
    aspect_ratio: request.aspectRatio,
    seed: request.seed,
    generate_audio: request.generateAudio,
    ...frames(request),
    ...references(request),
  };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return { ...request.passthrough, ...Object.fromEntries(given) };
}

function frames({ upstreamModel, frameImages = [] }: VideoSubmitRequest): Record<string, string | undefined> {
  const { firstFrame, lastFrame } = inputNamesOf(upstreamModel);
  return {
    [firstFrame]: frameImages.find(({ frameType }) => frameType === 'first_frame')?.url,
    [lastFrame]: frameImages.find(({ frameType }) => frameType === 'last_frame')?.url,
  };
}

/** Returns the references by field. The request holds only kinds that the endpoint takes. */
function references({ inputReferences = [] }: VideoSubmitRequest): Record<string, string[]> {
  const byKind = Map.groupBy(inputReferences, ({ kind }) => kind);
  return Object.fromEntries(
    [...byKind].map(([kind, list]) => [REFERENCE_LISTS[kind], list.map(({ url }) => url)]),
  );
}

/** A model's field names for its frames. */
interface InputNames {
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

function inputNamesOf(upstreamModel: string): InputNames {
  const [, names = {}] = NAMES.find(([prefix]) => upstreamModel.startsWith(prefix)) ?? [];
  return { ...DEFAULT_NAMES, ...names };
}
