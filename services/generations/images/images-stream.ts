import { AppError } from '../../../domain/errors.ts';
import type { ImageFit } from '../../../domain/image-fit.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import type { Base64, ImageEvent, MadeImage } from '../../../providers/image-adapter.ts';
import { toCallerError } from '../../routing/provider-failure.ts';
import type { BegunImages, ImagesSource } from './begun-images.ts';
import { EventStream, type Pieces } from '../event-stream.ts';
import { addUsage, type ImagesMade } from './images-bill.ts';
import { createImagesSettlement } from './images-settlement.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { ShownUsage } from '../token-usage.ts';

const DONE = 'data: [DONE]\n\n';

/**
 * The caller's stream (wire: §6): drafts and finished pictures as they come. The last picture waits until the
 * generation is in the ledger, and has the usage of all. A failure in the middle is the last event; what was made is
 * billed. A caller who leaves ends the upstream's work, and what was made until then is billed.
 */
export function streamImages(deps: LiveDeps, begun: BegunImages, source: ImagesSource): EventStream {
  return new EventStream(eventsOf(deps, begun, source));
}

async function* eventsOf(deps: LiveDeps, begun: BegunImages, source: ImagesSource): Pieces {
  const made: ImagesMade = { pictures: 0, partials: 0, counted: undefined };
  const present = presenterOf(begun, source);
  const settlement = createImagesSettlement(deps, begun, source, made);
  const finished: { last?: MadeImage } = {};
  try {
    const failure = yield* passOn(source.answer, made, finished, present);
    const { shown } = await settlement.end(failure);
    const last = finished.last === undefined ? '' : present(finished.last, shown);
    return last + (failure === undefined ? '' : errorEvent(deps, failure)) + DONE;
  } catch (error) {
    // The ledger did not take it, or worse: the caller must not believe that the answer is whole.
    const { requestId } = begun.open.call.client;
    deps.logger.error({ err: error, requestId }, 'a stream of images could not be ended');
    return errorEvent(deps, error instanceof AppError ? error : new AppError('internal')) + DONE;
  } finally {
    // Only where the caller left in the middle it has not ended yet.
    await settlement.abandon();
  }
}

/** All events but the last picture. Resolves with what cut them off, if anything did. */
async function* passOn(
  events: AsyncIterable<ImageEvent[]>,
  made: ImagesMade,
  finished: { last?: MadeImage },
  present: PresentPicture,
): AsyncGenerator<string, AppError | undefined> {
  try {
    for await (const arrived of events) {
      let text = '';
      for (const event of arrived) {
        if (event.type === 'completed') {
          made.pictures += 1;
          made.counted = addUsage(made.counted, event.usage);
          if (finished.last !== undefined) text += present(finished.last);
          finished.last = event.image;
        } else text += presentEarly(event, made);
      }
      if (text !== '') yield text;
    }
    return undefined;
  } catch (error) {
    return error instanceof ProviderError ? toCallerError(error) : new AppError('internal', { cause: error });
  }
}

function presentEarly(event: Exclude<ImageEvent, { type: 'completed' }>, made: ImagesMade): string {
  if (event.type === 'text') {
    return toEvent({ type: 'image_generation.text_chunk', text: event.text, phase: event.phase });
  }
  made.partials += 1;
  const { b64Json, index } = event;
  return pictureEvent(b64Json, { type: 'image_generation.partial_image', partial_image_index: index });
}

type PresentPicture = (image: MadeImage, usage?: ShownUsage) => string;

function presenterOf({ open, fits }: BegunImages, { target }: ImagesSource): PresentPicture {
  const usual = mediaTypeOf(fits.of(target.endpoint));
  const created = Math.floor(open.startedAtMs / 1_000);
  return ({ b64Json, mediaType = usual }, usage) =>
    pictureEvent(b64Json, {
      type: 'image_generation.completed',
      created,
      media_type: mediaType,
      ...(usage && { usage }),
    });
}

/** Of a picture in the format that was asked for. */
export function mediaTypeOf({ outputFormat }: ImageFit): string {
  return outputFormat === 'svg' ? 'image/svg+xml' : `image/${outputFormat}`;
}

function errorEvent({ showError }: LiveDeps, error: AppError): string {
  const { message } = showError(error);
  const { code: type, options } = error;
  return toEvent({ type: 'error', error: { message, code: options.reason ?? type, type, param: null } });
}

/** The picture goes into the JSON as it came: it has nothing to escape, and to look for it takes 4 ms a megabyte. */
function pictureEvent(b64Json: Base64, data: object): string {
  return `data: ${JSON.stringify(data).slice(0, -1)},"b64_json":"${String(b64Json)}"}\n\n`;
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
