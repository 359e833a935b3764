/** Turns an upstream's stream of pictures into the server-sent events of the caller. */
import type { AppError } from '../../../domain/errors.ts';
import type { ImageFit } from '../../../domain/live/image-fit.ts';
import type { Base64, ImageEvent } from '../../../providers/image-adapter.ts';
import type { OpenGeneration } from '../generation.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { Answered, LiveStream, StreamBill } from '../pipeline/live-operation.ts';
import { wasAbandoned } from '../pipeline/abandoned.ts';
import { addUsage, type ImagesMade } from './images-bill.ts';
import type { ImagesUsage } from './images-usage.ts';
import { billOf, type ReadImages } from './read-images.ts';

const DONE = 'data: [DONE]\n\n';

interface ImagesStreamBill extends StreamBill {
  shown: ImagesUsage;
}

/**
 * Presents a stream of pictures: drafts and finished pictures as they arrive. The last picture waits until the
 * generation is in the ledger, and has the usage of all. A failure in mid-stream is the last event; pictures made
 * before it are billed.
 */
export function streamImages(
  deps: LiveDeps,
  open: OpenGeneration,
  read: ReadImages,
  answered: Answered<AsyncIterable<ImageEvent[]>>,
): LiveStream<ImageEvent, ImagesStreamBill> {
  const made: ImagesMade = { pictures: 0, partials: 0, counted: undefined, stated: undefined };
  const presentPicture = presenterOf(open, read, answered);
  let lastPicture: PlacedImage | undefined;
  return {
    parts: answered.answer,
    present(arrived) {
      let text = '';
      for (const event of arrived) {
        if (event.type === 'completed') {
          made.pictures += 1;
          made.counted = addUsage(made.counted, event.usage);
          made.stated = event.stated;
          made.units = event.units;
          if (lastPicture !== undefined) text += presentPicture(lastPicture);
          lastPicture = event;
        } else text += presentEarly(event, made);
      }
      return text;
    },
    // Reported units are those of the whole work, so nothing has to be assumed about the rest of it.
    isUnderWay: () => made.units === undefined && made.pictures < read.fits.of(answered.target.endpoint).n,
    bill(failure) {
      // They are not billed for the part that a broken stream delivered.
      const isWhole = failure === undefined || wasAbandoned(failure, open.call);
      return billOf(read, answered.target, isWhole ? made : { ...made, units: undefined });
    },
    last({ shown }, failure) {
      const last = lastPicture === undefined ? '' : presentPicture(lastPicture, shown);
      return last + (failure === undefined ? '' : errorEvent(deps, failure)) + DONE;
    },
    internalErrorEvent: (error) => errorEvent(deps, error) + DONE,
  };
}

function presentEarly(event: Exclude<ImageEvent, { type: 'completed' }>, made: ImagesMade): string {
  if (event.type === 'text') {
    return toEvent({ type: 'image_generation.text_chunk', text: event.text, phase: event.phase });
  }
  made.partials += 1;
  const { b64Json, imageIndex, index } = event;
  const place = { image_index: imageIndex, partial_image_index: index };
  return pictureEvent(b64Json, { type: 'image_generation.partial_image', ...place });
}

type PlacedImage = Pick<Extract<ImageEvent, { type: 'completed' }>, 'image' | 'imageIndex'>;
type PresentPicture = (picture: PlacedImage, usage?: ImagesUsage) => string;

function presenterOf(
  open: OpenGeneration,
  { fits }: ReadImages,
  { target }: Answered<unknown>,
): PresentPicture {
  const defaultType = mediaTypeOf(fits.of(target.endpoint));
  const created = Math.floor(open.startedAtMs / 1_000);
  return ({ image: { b64Json, mediaType = defaultType }, imageIndex }, usage) =>
    pictureEvent(b64Json, {
      type: 'image_generation.completed',
      image_index: imageIndex,
      created,
      media_type: mediaType,
      usage,
    });
}

/** Returns the media type of a picture in the requested format. */
export function mediaTypeOf({ outputFormat }: ImageFit): string {
  return outputFormat === 'svg' ? 'image/svg+xml' : `image/${outputFormat}`;
}

function errorEvent({ showError }: LiveDeps, error: AppError): string {
  const { message, metadata } = showError(error, 'exact');
  const { code: type, options } = error;
  return toEvent({
    type: 'error',
    error: { message, code: options.reason ?? type, type, param: null, metadata },
  });
}

/**
 * Writes a picture's event. The base64 is inserted into the JSON unescaped: it needs no escaping, and searching it
 * would take 4 ms a megabyte.
 */
function pictureEvent(b64Json: Base64, data: object): string {
  return `data: ${JSON.stringify(data).slice(0, -1)},"b64_json":"${String(b64Json)}"}\n\n`;
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
