/** Parses requests for new and remixed videos to the local upstream. */
import sharp from 'sharp';
import type { ClipRequest } from '../media/clip.ts';
import { invalid } from '../parse-request.ts';
import type { Fields } from '../request-body.ts';
import { defaultSeed, findModel, type VideoModel } from './video-models.ts';

/** A validated create or remix request. */
export interface VideoRequest extends Omit<ClipRequest, 'model' | 'startSeconds'> {
  model: VideoModel;
}

const MAX_PROMPT_CHARACTERS = 32_000;
const MAX_SEED = 2 ** 31 - 1;

/**
 * Parses `POST /v1/videos`: the documented `model`, `prompt`, `seconds`, `size` and `input_reference` (an upload).
 * Extras are `seed`, `last_frame_reference` (another upload) and `faults`. URLs of images are refused: this server
 * fetches nothing.
 */
export async function parseCreate(fields: Fields): Promise<VideoRequest> {
  const model = findModel(fields.values['model'] ?? 'clip-1');
  const firstFrame = await readImage(fields, 'input_reference');
  const lastFrame = await readImage(fields, 'last_frame_reference');
  const prompt = readPrompt(fields, firstFrame !== undefined);
  return {
    model,
    prompt,
    ...readSize(fields, model),
    durationSeconds: readSeconds(fields, model) ?? model.seconds.default,
    seed: readSeed(fields) ?? defaultSeed(prompt),
    firstFrame,
    lastFrame,
  };
}

/** Parses `POST /v1/videos/{id}/remix`: a new prompt with the source's look and size; `seconds` is an extra. */
export function parseRemix(fields: Fields, source: VideoRequest): VideoRequest {
  const { model, width, height, seed } = source;
  return {
    model,
    prompt: readPrompt(fields, false),
    width,
    height,
    durationSeconds: readSeconds(fields, model) ?? source.durationSeconds,
    seed,
  };
}

function readPrompt({ values }: Fields, optional: boolean): string {
  const { prompt = '' } = values;
  if (typeof prompt !== 'string' || prompt.length > MAX_PROMPT_CHARACTERS) {
    throw invalid('prompt', `must be a string of at most ${MAX_PROMPT_CHARACTERS} characters`);
  }
  if (prompt.trim() === '' && !optional) throw invalid('prompt', 'is required');
  return prompt;
}

function readSeconds({ values }: Fields, model: VideoModel): number | undefined {
  if (values['seconds'] === undefined) return undefined;
  const seconds = Number(values['seconds']);
  const { least, most } = model.seconds;
  if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return seconds;
  throw invalid('seconds', `must be a whole number from ${least} to ${most} for ${model.id}`);
}

function readSize({ values }: Fields, model: VideoModel): { width: number; height: number } {
  const given = values['size'] ?? model.size.default;
  const match = typeof given === 'string' ? /^(\d{2,4})x(\d{2,4})$/.exec(given) : null;
  const [width, height] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (model.size.accepts(width, height)) return { width, height };
  throw invalid('size', `must be WIDTHxHEIGHT: ${model.size.rule}`);
}

function readSeed({ values }: Fields): number | undefined {
  if (values['seed'] === undefined) return undefined;
  const seed = Number(values['seed']);
  if (Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED) return seed;
  throw invalid('seed', `must be a whole number from 0 to ${MAX_SEED}`);
}

async function readImage({ values, files }: Fields, name: string): Promise<Uint8Array | undefined> {
  if (values[name] !== undefined) throw invalid(name, 'must be an upload');
  const bytes = files[name]?.bytes;
  if (bytes === undefined) return undefined;
  await sharp(bytes)
    .metadata()
    .catch(() => {
      throw invalid(name, 'must be a PNG, JPEG, WebP, GIF, AVIF or SVG image');
    });
  return bytes;
}
