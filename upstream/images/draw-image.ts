/** Draws the pictures and drafts that the local upstream returns. */
import sharp, { type Sharp } from 'sharp';
import { createPalette, createRandom } from '../media/palette.ts';
import { drawBackdrop, drawText, type Scene } from '../media/scene.ts';
import { UpstreamError } from '../reply.ts';
import type { ImageRequest } from './image-request.ts';

/** The blur of a draft per step before the final picture. */
const BLUR_PER_STEP = 12;

/** Draws the picture at `index` of a request. The same request always gives the same bytes. */
export async function drawImage(request: ImageRequest, index: number): Promise<Buffer> {
  const card = drawCard(request, index);
  if (request.format === 'svg') return Buffer.from(card);
  const [reference] = request.references;
  const { width, height } = request;
  if (reference === undefined) return encode(sharp(Buffer.from(card)), request);
  const picture = sharp(reference)
    .rotate()
    .resize(width, height, { fit: 'cover' })
    .composite([{ input: Buffer.from(card) }]);
  try {
    return await encode(picture, request);
  } catch {
    throw new UpstreamError(400, "Invalid 'images': a picture cannot be read.", { param: 'images' });
  }
}

/** Returns the draft of a picture `steps` before its end. */
export function drawDraft(picture: Buffer, steps: number, request: ImageRequest): Promise<Buffer> {
  return encode(sharp(picture).blur(steps * BLUR_PER_STEP), request);
}

function encode(picture: Sharp, { format, compression, background }: ImageRequest): Promise<Buffer> {
  const quality = Math.max(1, compression);
  switch (format) {
    case 'jpeg':
      return picture.flatten({ background: '#000' }).jpeg({ quality }).toBuffer();
    case 'webp':
      return (background === 'opaque' ? picture.removeAlpha() : picture).webp({ quality }).toBuffer();
    default:
      return (background === 'opaque' ? picture.removeAlpha() : picture).png().toBuffer();
  }
}

/** Draws the prompt on its background. Over a reference, or for a transparent picture, it draws no background. */
function drawCard(request: ImageRequest, index: number): string {
  const { model, prompt, width, height, seed, references, background } = request;
  const random = createRandom(`${seed} ${index} ${prompt}`);
  const scene: Scene = {
    width,
    height,
    prompt,
    label: `${model} · drawn locally, not generated`,
    footnote: `${width}×${height} · ${index + 1} of ${request.n} · seed ${seed}`,
    overPicture: references.length > 0,
    palette: createPalette(random),
  };
  const hasGround = references.length === 0 && background === 'opaque';
  const ground = hasGround ? drawBackdrop(scene, random) : '';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `${ground}${drawText(scene)}</svg>`
  );
}
