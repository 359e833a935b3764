/** Adapts image requests to fal's apps. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Amount } from '../../domain/amount.ts';
import { isFields, withoutUndefined } from '../../domain/fields.ts';
import { malformedAnswer } from '../answer-checks.ts';
import type { ImageAdapter, ImageRequest } from '../image-adapter.ts';
import { inlineReferences } from '../inline-pictures.ts';
import { requestedType } from '../openai-compatible/images-answer.ts';
import { pictureAt } from '../openai-compatible/made-picture.ts';
import { refusedContent } from '../refused-content.ts';
import type { OutboundFetch } from '../reference-media.ts';
import type { TextHttp } from '../text-http.ts';
import { flagsOf, readUnits } from './schemas.ts';

/**
 * Makes pictures over `POST https://fal.run/<app>`, which answers with the result. Written from "Synchronous inference"
 * and the apps' pages of fal.ai/docs, read on 2026-11-28.
 * - The queue is not used: a caller waits, the gateway itself falls back to other endpoints, and fal stops the work
 *   when the connection closes. The billed units are a header of the same answer.
 * - Pictures are URLs, fetched through the guard, or data URLs. Flagged ones are black and are left out.
 * - References go to the app's `/edit` as data URLs.
 */
export function createFalImages(http: TextHttp, outbound: OutboundFetch): ImageAdapter {
  return {
    async generate(request, context) {
      const references = await inlineReferences(request.references, outbound, context);
      const isEdit = references.length > 0;
      const path = isEdit ? `${request.model}/edit` : request.model;
      const body = { ...request.options, ...fieldsOf(request), ...(isEdit && { image_urls: references }) };
      let units: Amount | undefined;
      const begin = (headers: IncomingHttpHeaders) => (units = readUnits(headers));
      const answer = await http.post(path, body, context, { begin });
      const urls = pictureUrlsOf(answer, request.n);
      const type = requestedType(request);
      const images = await Promise.all(urls.map((url) => pictureAt(url, type, outbound, context)));
      return units === undefined ? { images } : { images, units };
    },
  };
}

function fieldsOf(request: ImageRequest): Record<string, unknown> {
  const { prompt, n, size, aspectRatio, resolution, seed, outputFormat } = request;
  return withoutUndefined({
    prompt,
    // Apps that make one picture do not have this field.
    num_images: n === 1 ? undefined : n,
    image_size: size && { width: size.width, height: size.height },
    aspect_ratio: aspectRatio,
    resolution,
    seed,
    output_format: outputFormat,
  });
}

/** Returns the addresses of the pictures that fal's checker did not flag. Throws if it flagged all. */
function pictureUrlsOf(result: Record<string, unknown>, n: number): string[] {
  const { images } = result;
  if (!Array.isArray(images) || images.length === 0) throw malformedAnswer('no pictures');
  const flags = flagsOf(result);
  const allowed = (images as unknown[]).filter((_, index) => flags[index] !== true);
  if (allowed.length === 0) throw refusedContent('all pictures were flagged');
  return allowed.slice(0, n).map((image) => {
    const url = isFields(image) ? image['url'] : undefined;
    if (typeof url !== 'string' || url === '') throw malformedAnswer('an entry without a picture');
    return url;
  });
}
