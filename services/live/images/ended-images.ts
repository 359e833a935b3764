/** Ends the generation of pictures that are returned as a whole. */
import type { Base64, ImageAnswer } from '../../../providers/image-adapter.ts';
import type { OpenGeneration } from '../generation.ts';
import type { Answered, WholeAnswer } from '../pipeline/live-operation.ts';
import type { ImagesUsage } from './images-usage.ts';
import { billOf, type ReadImages } from './read-images.ts';
import { mediaTypeOf } from './images-stream.ts';

/** The pictures of an answer, in the form that callers get. */
export interface ImagesResult {
  /** The time of the request in Unix seconds. */
  created: number;
  images: { b64Json: Base64; mediaType: string }[];
  usage: ImagesUsage;
}

/** Bills the pictures of a whole answer and presents them to the caller. */
export function endImages(
  open: OpenGeneration,
  read: ReadImages,
  { target, answer }: Answered<ImageAnswer>,
): WholeAnswer<{ result: ImagesResult }> {
  const { images, usage: counted, stated, units } = answer;
  const made = { pictures: images.length, partials: 0, counted, stated, units };
  const { billed, shown } = billOf(read, target, made);
  return {
    billed,
    show() {
      const defaultType = mediaTypeOf(read.fits.of(target.endpoint));
      return {
        result: {
          created: Math.floor(open.startedAtMs / 1_000),
          images: images.map(({ b64Json, mediaType = defaultType }) => ({ b64Json, mediaType })),
          usage: shown,
        },
      };
    },
  };
}
