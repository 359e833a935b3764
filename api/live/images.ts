/** Answers requests for images. */
import type { ImagesResultBody } from '../../contract/live/image-result.ts';
import type { ImagesRequestBody } from '../../contract/live/images-request.ts';
import type { imageOperations } from '../../contract/live/images.ts';
import { ReadyJson } from '../../platform/ready-json.ts';
import type { ImagesResult } from '../../services/live/images/ended-images.ts';
import type { ImagesService } from '../../services/live/images/images-service.ts';
import type { Api, RoutesOf } from '../http/route.ts';
import { answerHeaders, EVENT_STREAM_HEADERS, toLiveCall } from './to-live-call.ts';

interface Used {
  images: ImagesService;
}

export const imageRoutes: RoutesOf<typeof imageOperations, Used> = {
  /** Handles `POST /images` and `POST /images/generations`: makes images, as a whole or as a stream of events. */
  createImages: answerImages,

  /** The route at the path that clients of OpenAI's API use. */
  createImageGenerations: answerImages,
};

type ImagesCall = Parameters<typeof toLiveCall<ImagesRequestBody>>[0];

async function answerImages(call: ImagesCall, { services }: Api<Used>) {
  const made = await services.images.create(toLiveCall(call));
  const headers = answerHeaders(made);
  if ('events' in made) {
    return { status: 200, headers: { ...EVENT_STREAM_HEADERS, ...headers }, body: made.events } as const;
  }
  return { status: 200, headers, body: presentImages(made.result) } as const;
}

/**
 * Presents an `ImagesResultBody`. Pictures are inserted between the pieces of its JSON without a copy: they are most of
 * the answer, and base64 needs no escapes.
 */
function presentImages({ created, images, usage }: ImagesResult): ReadyJson {
  const pieces: (string | Buffer)[] = [];
  let text = `{"created":${created},"data":[`;
  for (const { b64Json, mediaType } of images) {
    const facts: Pick<ImagesResultBody['data'][number], 'media_type'> = { media_type: mediaType };
    pieces.push(`${text}${pieces.length === 0 ? '' : ','}{"b64_json":"`, b64Json);
    text = `",${JSON.stringify(facts).slice(1)}`;
  }
  return new ReadyJson([...pieces, `${text}],"usage":${JSON.stringify(usage)}}`]);
}
