import type { ImageEvent, ImageRequest } from '../image-adapter.ts';
import { errorIn, isObject, misshapen, objectOf } from '../answer-checks.ts';
import type { EventReader } from '../streamed-answer.ts';
import { invalidResponse } from '../transport-failure.ts';
import { inBandError } from '../vendor-error.ts';
import { otherType, plainBase64, toUsage } from './images-answer.ts';

/** A picture of 4K in base64, with room to spare. */
const MAX_EVENT_BYTES = 64 * 1024 ** 2;

/** Types are those of generations or of edits: `image_generation.completed`, `image_edit.completed`. */
const PARTIAL = '.partial_image';
const COMPLETED = '.completed';

/**
 * The events of one stream, which has no last word: it is over with the last picture that was asked for, and whole with
 * any after which no other was begun. OpenAI names the picture of no event: pictures are then taken to come one after the
 * other. A server that makes several at a time names each by `image_index`.
 */
export function createImagesReader(
  request: Pick<ImageRequest, 'n' | 'outputFormat'>,
  apiKey: string | undefined,
): EventReader<ImageEvent> {
  let completed = 0;
  const begun = new Set<number>();
  return {
    maxEventBytes: MAX_EVENT_BYTES,
    read({ type: name, data }) {
      if (data === '[DONE]') return 'end';
      const event: unknown = JSON.parse(data);
      if (name === 'error') throw inBandError(isObject(event) ? event : { message: data }, [apiKey]);
      const fields = objectOf(event);
      const error = errorIn(fields, apiKey);
      if (error !== undefined) throw error;
      const { type = name, b64_json: field } = fields;
      const kind = kindOf(type);
      if (kind === undefined) return undefined;
      // JSON without a backslash has no string that would have to be escaped again: there is nothing to look for.
      const b64Json = data.includes('\\') || typeof field !== 'string' ? plainBase64(field) : field;
      if (b64Json === undefined || b64Json === '') throw misshapen('an event without a picture');
      const imageIndex = imageIndexOf(fields, request.n) ?? completed;
      if (kind === PARTIAL) {
        begun.add(imageIndex);
        return { type: 'partial', imageIndex, index: indexOf(fields), b64Json };
      }
      begun.delete(imageIndex);
      completed += 1;
      const usage = toUsage(fields['usage']);
      const image = { b64Json, ...otherType(fields['output_format'], request.outputFormat) };
      return { type: 'completed', imageIndex, image, ...(usage && { usage }) };
    },
    readBody(text) {
      try {
        const error = errorIn(objectOf(JSON.parse(text)), apiKey);
        return error ?? invalidResponse(200, new Error('an answer that is no stream'));
      } catch (cause) {
        return invalidResponse(200, cause);
      }
    },
    isWhole: () => completed > 0 && begun.size === 0,
    isOver: () => completed >= request.n,
  };
}

function kindOf(type: unknown): typeof PARTIAL | typeof COMPLETED | undefined {
  if (typeof type !== 'string') return undefined;
  return [PARTIAL, COMPLETED].find((end) => type.endsWith(end)) as ReturnType<typeof kindOf>;
}

/** Returns undefined where the event does not name one of the pictures that were asked for. */
function imageIndexOf({ image_index: index }: Record<string, unknown>, n: number): number | undefined {
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < n ? index : undefined;
}

function indexOf({ partial_image_index: index }: Record<string, unknown>): number {
  return Number.isSafeInteger(index) ? (index as number) : 0;
}
