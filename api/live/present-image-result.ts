import type { ImagesResultBody } from '../../contract/live/image-result.ts';
import type { ImagesResult } from '../../services/live/images/ended-images.ts';
import { ReadyJson } from '../../platform/ready-json.ts';

/**
 * Presents an `ImagesResultBody`. Pictures are inserted between the pieces of its JSON without a copy: they are most of
 * the answer, and base64 needs no escapes.
 */
export function presentImages({ created, images, usage }: ImagesResult): ReadyJson {
  const pieces: (string | Buffer)[] = [];
  let text = `{"created":${created},"data":[`;
  for (const { b64Json, mediaType } of images) {
    const facts: Pick<ImagesResultBody['data'][number], 'media_type'> = { media_type: mediaType };
    pieces.push(`${text}${pieces.length === 0 ? '' : ','}{"b64_json":"`, b64Json);
    text = `",${JSON.stringify(facts).slice(1)}`;
  }
  return new ReadyJson([...pieces, `${text}],"usage":${JSON.stringify(usage)}}`]);
}
