import { faultsIn } from '../control.ts';
import { eventsReply, jsonReply, type Reply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';
import { CANNED_IMAGE_MODEL, cannedImages, IMAGES_PATH } from './canned-image.ts';
import { type ImageRequest, parseImageRequest, UNITS_IMAGE_MODEL } from './image-request.ts';
import { tokenize } from '../chat/tokens.ts';
import { toNamedEvent } from '../server-sent-event.ts';
import { drawDraft, drawImage } from './draw-image.ts';

const EDITS_PATH = '/v1/images/edits';

/**
 * Serves OpenAI's Image API, with a title card of the prompt as the picture. Written from the vendor's published
 * reference (openai-node, `src/resources/images.ts`, read 2026-11-21). The answer of `image-canned` never changes. An
 * extra of this server: `faults` in a request affect only that request.
 */
export function createImagesCapability(): Capability {
  const route = { method: 'POST', target: 'images', faults: faultsIn } as const;
  return {
    routes: [
      { ...route, path: IMAGES_PATH, handle: (exchange) => answer(exchange, false) },
      { ...route, path: EDITS_PATH, handle: (exchange) => answer(exchange, true) },
    ],
  };
}

async function answer(exchange: Exchange, isEdit: boolean): Promise<Reply> {
  const request = await parseImageRequest(await exchange.fields(), isEdit);
  const streams = request.partials !== null;
  if (request.model === CANNED_IMAGE_MODEL) return { status: 200, ...cannedImages(streams) };
  if (!streams) return presentImages(request);
  return presentImageEvents(request, isEdit ? 'image_edit' : 'image_generation');
}

const TOKENS_PER_REFERENCE = 256;
const PIXELS_PER_TOKEN = 1_024;

/** Returns all pictures in one answer. */
async function presentImages(request: ImageRequest): Promise<Reply> {
  const pictures = await Promise.all(indexes(request).map((index) => drawImage(request, index)));
  return jsonReply(
    200,
    {
      created: now(),
      ...facts(request),
      data: pictures.map((picture) => ({ b64_json: picture.toString('base64') })),
      usage: usageOf(request, request.n, true),
    },
    unitsOf(request),
  );
}

/** Returns the header in which `image-units` reports its units, as fal does: one for each begun megapixel. */
function unitsOf({ model, n, width, height }: ImageRequest): Record<string, string> {
  if (model !== UNITS_IMAGE_MODEL) return {};
  return { 'x-fal-billable-units': `${n * Math.ceil((width * height) / 1_000_000)}` };
}

/** Returns the pictures as events, one after the other, each after its drafts. The stream has no final event. */
async function presentImageEvents(request: ImageRequest, kind: string): Promise<Reply> {
  const events: string[] = [];
  for (const index of indexes(request)) {
    const picture = await drawImage(request, index);
    const partials = request.partials ?? 0;
    for (let draft = 0; draft < partials; draft += 1) {
      const bytes = await drawDraft(picture, partials - draft, request);
      const place = { partial_image_index: draft };
      events.push(toEvent(`${kind}.partial_image`, request, bytes, place));
    }
    const usage = usageOf(request, 1, index === 0);
    events.push(toEvent(`${kind}.completed`, request, picture, { usage }));
  }
  return eventsReply(events, unitsOf(request));
}

function toEvent(type: string, request: ImageRequest, picture: Buffer, more: object): string {
  const b64_json = picture.toString('base64');
  return toNamedEvent({ type, b64_json, created_at: now(), ...facts(request), ...more });
}

/** Returns the facts that an answer states. The server's own choice of a quality is `medium`. */
function facts({ background, format, quality: asked, width, height }: ImageRequest) {
  const quality = asked === 'auto' ? 'medium' : asked;
  return { background, output_format: format, quality, size: `${width}x${height}` };
}

/** Returns the usage of some of the pictures; the prompt is counted once. */
function usageOf({ prompt, references, width, height }: ImageRequest, pictures: number, withPrompt: boolean) {
  const text = withPrompt ? tokenize(prompt).length : 0;
  const image = withPrompt ? references.length * TOKENS_PER_REFERENCE : 0;
  const output = pictures * Math.ceil((width * height) / PIXELS_PER_TOKEN);
  return {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    total_tokens: text + image + output,
  };
}

function indexes({ n }: ImageRequest): number[] {
  return Array.from({ length: n }, (_, index) => index);
}

function now(): number {
  return Math.floor(Date.now() / 1_000);
}
