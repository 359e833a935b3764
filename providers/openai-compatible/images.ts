/** Adapts image requests to servers with OpenAI's wire. */
import type { Amount } from '../../domain/amount.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import { formatSize } from '../../domain/pixel-size.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { ImageAdapter, ImageRequest } from '../image-adapter.ts';
import { inlineReferences } from '../inline-pictures.ts';
import type { OutboundFetch } from '../reference-media.ts';
import type { TextHttp } from '../text-http.ts';
import { noteOf } from '../repairs.ts';
import { fetchPictures } from './fetched-pictures.ts';
import { parseImages, readImages, requestedType } from './images-answer.ts';
import { pictureAt } from './made-picture.ts';
import { createImagesReader, type ReadUnits } from './images-reader.ts';

export interface ImageAdapterOptions {
  http: TextHttp;
  outbound: OutboundFetch;
  /** True: the server takes `seed`, which OpenAI does not. */
  seed?: true;
  /** Reads the units that the server reports as billed. Absent: it reports none. */
  readUnits?: ReadUnits;
}

/** The number of drafts if the caller's options set none. Each draft costs 100 tokens. */
const PARTIAL_IMAGES = 2;

/**
 * Sends requests to OpenAI's Image API. Written from openai-node (`src/resources/images.ts`) and the guide
 * developers.openai.com/api/docs/guides/image-generation, read 2026-11-21.
 * - A text is sent to `POST /images/generations`, a text with pictures to `POST /images/edits`. Its JSON form takes
 *   data URLs (`images: [{ image_url }]`), so base64 is passed on and nothing is uploaded.
 * - Drafts must be requested.
 * - Finished pictures that an answer or a stream names by a URL are fetched through the guard.
 * - Endpoints with names instead of pixels receive `aspect_ratio` and `resolution`, as in xAI's API (docs.x.ai, read
 *   2026-11-23).
 */
export function createImageAdapter(options: ImageAdapterOptions): ImageAdapter {
  const { http, outbound, seed, readUnits } = options;
  const bodyOf = async (request: ImageRequest, context: LiveCallContext): Promise<object> => {
    const references = await inlineReferences(request.references, outbound, context);
    return {
      ...request.options,
      ...fieldsOf(request),
      ...(context.deviations?.includes('response_format_b64_json') ? { response_format: 'b64_json' } : {}),
      ...(seed === true && request.seed !== undefined ? { seed: request.seed } : {}),
      ...(references.length > 0 && { images: references.map((url) => ({ image_url: url })) }),
    };
  };
  const fetcherOf = (request: ImageRequest, context: LiveCallContext) => (url: string) => {
    noteOf(context)('picture_url');
    return pictureAt(url, requestedType(request), outbound, context);
  };
  return {
    async generate(request, context) {
      const { stream: _, partial_images: __, ...body } = (await bodyOf(request, context)) as Streamable;
      let units: Amount | undefined;
      const answer = await http.post(pathFor(request), body, context, {
        begin: (headers) => (units = readUnits?.(headers)),
        read: parseImages,
      });
      const made = await readImages(answer, request, {
        note: noteOf(context),
        fetchPicture: fetcherOf(request, context),
      });
      return units === undefined ? made : { ...made, units };
    },
    async stream(request, context) {
      const body = { partial_images: PARTIAL_IMAGES, ...(await bodyOf(request, context)), stream: true };
      const reader = createImagesReader(request, noteOf(context), readUnits);
      const events = await http.stream(pathFor(request), body, context, reader);
      return fetchPictures(events, fetcherOf(request, context));
    },
  };
}

/** The two fields of streaming, which servers accept only together. */
interface Streamable {
  stream?: unknown;
  partial_images?: unknown;
}

function pathFor({ references }: ImageRequest): string {
  return references.length === 0 ? 'images/generations' : 'images/edits';
}

function fieldsOf(request: ImageRequest): object {
  const { model, prompt, n, size, aspectRatio, resolution, quality, background, outputFormat, compression } =
    request;
  return withoutUndefined({
    model,
    prompt,
    n,
    size: size && formatSize(size),
    aspect_ratio: aspectRatio,
    resolution: resolution?.toLowerCase(),
    quality,
    background,
    output_format: outputFormat,
    output_compression: compression,
  });
}
