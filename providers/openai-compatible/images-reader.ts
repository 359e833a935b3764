/** Interprets the event stream of an image request on OpenAI's wire. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Amount } from '../../domain/amount.ts';
import type { ImageEvent, ImageRequest, MadeImage } from '../image-adapter.ts';
import { answerOf, malformedAnswer } from '../answer-checks.ts';
import type { EventReader } from '../streamed-answer.ts';
import type { NoteRepair } from '../repairs.ts';
import type { PictureAtUrl } from './fetched-pictures.ts';
import { madeImage, otherType, plainBase64, statedIn, toUsage } from './images-answer.ts';

/** Reads the units that a server reports as billed in the headers of its answer. */
export type ReadUnits = (headers: IncomingHttpHeaders) => Amount | undefined;

/** The ends of event types; the beginnings are `image_generation` and `image_edit`. */
const PARTIAL = '.partial_image';
const COMPLETED = '.completed';

/**
 * Reads the events of one stream, which has no final event: it ends with the last requested picture. A stream that
 * stops earlier is complete if it has a finished picture and none with drafts only. OpenAI's events do not name their
 * picture, so pictures are counted in order. A server that makes several pictures at a time names each by
 * `image_index`.
 */
export function createImagesReader(
  request: Pick<ImageRequest, 'n' | 'outputFormat'>,
  note: NoteRepair,
  readUnits?: ReadUnits,
): EventReader<ImageEvent | PictureAtUrl> {
  let completed = 0;
  let units: Amount | undefined;
  const unfinished = new Set<number>();
  return {
    begin(headers) {
      units = readUnits?.(headers);
    },
    read({ type: name, data }, secrets) {
      if (data === '[DONE]') return 'end';
      const fields = answerOf(JSON.parse(data), secrets);
      const kind = kindOf(fields['type'] ?? name);
      if (kind === undefined) return undefined;
      const picture = pictureIn(fields, data, request.outputFormat);
      const imageIndex = imageIndexOf(fields, request.n) ?? completed;
      if (kind === PARTIAL) {
        unfinished.add(imageIndex);
        // The gateway fetches finished pictures only.
        if (!('image' in picture)) return undefined;
        const b64Json = String(picture.image.b64Json);
        return { type: 'partial', imageIndex, index: indexOf(fields), b64Json };
      }
      unfinished.delete(imageIndex);
      completed += 1;
      const common = { imageIndex, usage: toUsage(fields['usage'], note), stated: statedIn(fields), units };
      return 'image' in picture
        ? { type: 'completed', ...picture, ...common }
        : { type: 'url', ...picture, ...common };
    },
    isWhole: () => completed > 0 && unfinished.size === 0,
    isOver: () => completed >= request.n,
  };
}

function kindOf(type: unknown): typeof PARTIAL | typeof COMPLETED | undefined {
  if (typeof type !== 'string') return undefined;
  return [PARTIAL, COMPLETED].find((end) => type.endsWith(end)) as ReturnType<typeof kindOf>;
}

/** Returns the picture of an event, or its URL. */
function pictureIn(
  { b64_json: field, url, output_format: format }: Record<string, unknown>,
  data: string,
  requestedFormat: string,
): { image: MadeImage } | { url: string } {
  // JSON without a backslash contains no escapes, so its text has no line ends and needs no check.
  const value = data.includes('\\') || typeof field !== 'string' ? plainBase64(field) : field;
  if (value !== undefined && value !== '')
    return { image: madeImage(value, otherType(format, requestedFormat), requestedFormat) };
  if (typeof url !== 'string' || url === '') throw malformedAnswer('an event without a picture');
  return { url };
}

/** Returns the index of a requested picture; undefined if the event names none. */
function imageIndexOf({ image_index: index }: Record<string, unknown>, n: number): number | undefined {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < n ? index : undefined;
}

function indexOf({ partial_image_index: index }: Record<string, unknown>): number {
  return Number.isSafeInteger(index) ? (index as number) : 0;
}
