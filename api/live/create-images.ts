/** Handles `POST /images` and `POST /images/generations`: makes images, as a whole or as a stream of events. */
import type { ImagesRequestBody } from '../../contract/live/images-request.ts';
import { operations } from '../../contract/operations.ts';
import { presentImages } from './present-image-result.ts';
import { type Api, defineRoute } from '../http/route.ts';
import { EVENT_STREAM_HEADERS } from './event-stream-headers.ts';
import { toLiveCall } from './to-live-call.ts';

export const createImages = defineRoute(operations.createImages, answerImages);

/** The route at the path that clients of OpenAI's API use. */
export const createImageGenerations = defineRoute(operations.createImageGenerations, answerImages);

type ImagesCall = Parameters<typeof toLiveCall<ImagesRequestBody>>[0];

async function answerImages(call: ImagesCall, { services }: Api) {
  const made = await services.images.create(toLiveCall(call));
  const headers = { 'x-generation-id': made.generationId };
  if ('events' in made) {
    return { status: 200, headers: { ...EVENT_STREAM_HEADERS, ...headers }, body: made.events } as const;
  }
  return { status: 200, headers, body: presentImages(made.result) } as const;
}
