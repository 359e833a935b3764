/** Parses image requests to the local upstream. */
import sharp from 'sharp';
import { invalid } from '../parse-request.ts';
import type { Fields } from '../request-body.ts';
import { CANNED_IMAGE_MODEL } from './canned-image.ts';

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'svg';

/** A validated request for pictures. */
export interface ImageRequest {
  model: string;
  prompt: string;
  n: number;
  width: number;
  height: number;
  format: ImageFormat;
  background: 'transparent' | 'opaque';
  /** The requested quality, which has no effect. */
  quality: string;
  /** The compression from 0 to 100. */
  compression: number;
  seed: number;
  references: Uint8Array[];
  /** The number of drafts; null: not streamed. */
  partials: number | null;
}

export const UNITS_IMAGE_MODEL = 'image-units';
const IMAGE_MODELS = ['image-1', UNITS_IMAGE_MODEL, 'image-vector-1', CANNED_IMAGE_MODEL];
const QUALITIES = ['auto', 'low', 'medium', 'high'];
const BACKGROUNDS = ['auto', 'transparent', 'opaque'];
const MAX_IMAGES = 4;
const MAX_REFERENCES = 16;
const MAX_PARTIALS = 3;
const MAX_PROMPT_CHARACTERS = 32_000;
const [MIN_SIDE, MAX_SIDE] = [64, 3_072];
const DEFAULT_SIZE = '1024x1024';

/**
 * Parses `POST /v1/images/generations` and `…/edits`: the documented fields and two extras, `seed` and `faults`.
 * `image-vector-1` makes one SVG at a time and does not stream. References are data URLs in `images`; remote URLs are
 * refused, since this server fetches nothing.
 */
export async function parseImageRequest(fields: Fields, isEdit: boolean): Promise<ImageRequest> {
  const { values } = fields;
  const model = oneOf(values, 'model', IMAGE_MODELS, 'image-1');
  const isVector = model === 'image-vector-1';
  const formats: ImageFormat[] = isVector ? ['svg'] : ['png', 'jpeg', 'webp'];
  const format = oneOf(values, 'output_format', formats, formats[0]!) as ImageFormat;
  const background = oneOf(values, 'background', BACKGROUNDS, 'auto');
  if (background === 'transparent' && format === 'jpeg') {
    throw invalid('background', 'transparent needs png or webp');
  }
  const prompt = readPrompt(values['prompt']);
  return {
    model,
    prompt,
    n: integer(values, 'n', { least: 1, most: isVector ? 1 : MAX_IMAGES, otherwise: 1 }),
    ...readSize(values['size']),
    format,
    background: background === 'transparent' ? 'transparent' : 'opaque',
    quality: oneOf(values, 'quality', QUALITIES, 'auto'),
    compression: integer(values, 'output_compression', { least: 0, most: 100, otherwise: 100 }),
    seed: integer(values, 'seed', { least: -(2 ** 53), most: 2 ** 53, otherwise: 0 }),
    references: isEdit ? await readReferences(fields) : [],
    partials: readPartials(values, isVector),
  };
}

function readPrompt(prompt: unknown): string {
  if (typeof prompt === 'string' && prompt !== '' && prompt.length <= MAX_PROMPT_CHARACTERS) return prompt;
  throw invalid('prompt', `must be a string of 1 to ${MAX_PROMPT_CHARACTERS} characters`);
}

function readSize(size: unknown): { width: number; height: number } {
  const text = size === undefined || size === 'auto' ? DEFAULT_SIZE : size;
  const match = typeof text === 'string' ? /^(\d{2,4})x(\d{2,4})$/.exec(text) : null;
  const [width, height] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if ([width, height].every((side) => side >= MIN_SIDE && side <= MAX_SIDE)) return { width, height };
  throw invalid('size', `must be auto or WIDTHxHEIGHT with sides of ${MIN_SIDE} to ${MAX_SIDE}`);
}

function readPartials(values: Fields['values'], isVector: boolean): number | null {
  if (values['stream'] === undefined || values['stream'] === false) {
    if (values['partial_images'] === undefined) return null;
    throw invalid('partial_images', 'is taken with stream only');
  }
  if (isVector) throw invalid('stream', 'image-vector-1 does not stream');
  return integer(values, 'partial_images', { least: 0, most: MAX_PARTIALS, otherwise: 0 });
}

async function readReferences({ values }: Fields): Promise<Uint8Array[]> {
  const urls: unknown[] = Array.isArray(values['images']) ? values['images'] : [];
  const bytes = urls.map((reference) =>
    readDataUrl((reference as { image_url?: unknown } | null)?.image_url),
  );
  if (bytes.length === 0 || bytes.length > MAX_REFERENCES) {
    throw invalid('images', `must be 1 to ${MAX_REFERENCES} pictures`);
  }
  for (const each of bytes) {
    await sharp(each)
      .metadata()
      .catch(() => {
        throw invalid('images', 'must be pictures that can be read');
      });
  }
  return bytes;
}

function readDataUrl(url: unknown): Uint8Array {
  const match = typeof url === 'string' ? /^data:image\/[\w.+-]+;base64,(.+)$/s.exec(url) : null;
  if (match?.[1] === undefined) throw invalid('images', 'must have an image_url with a base64 data URL');
  return Buffer.from(match[1], 'base64');
}

function oneOf(
  values: Fields['values'],
  name: string,
  allowed: readonly string[],
  otherwise: string,
): string {
  const value = values[name] ?? otherwise;
  if (typeof value === 'string' && allowed.includes(value)) return value;
  throw invalid(name, `must be one of ${allowed.join(', ')}`);
}

function integer(
  values: Fields['values'],
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  const value = values[name] === undefined ? otherwise : Number(values[name]);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(name, `must be a whole number from ${least} to ${most}`);
}
