import { faultsIn } from '../control.ts';
import type { Reply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';
import { CANNED_IMAGE_MODEL, cannedImages, IMAGES_PATH } from './canned-image.ts';
import { parseImageRequest } from './image-request.ts';
import { presentImageEvents, presentImages } from './present-images.ts';

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
