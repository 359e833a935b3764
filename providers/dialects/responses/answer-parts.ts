/**
 * Translates the smaller parts of a chat's answer for a response: texts, log probabilities, annotations and pictures.
 */
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';

/** Returns the text of an answer's `content`, which is a string or a list of parts. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return fieldsIn(content)
    .map(({ text }) => textOf(text))
    .join('');
}

/** Returns the log probabilities that came with a text. */
export function logprobsOf(logprobs: unknown): unknown[] {
  return isFields(logprobs) && Array.isArray(logprobs['content']) ? logprobs['content'] : [];
}

/** Translates a chat's annotation, `{ type, url_citation: { … } }`, to the flat form of Responses. */
export function toAnnotation(annotation: Fields): Fields {
  const { type, ...rest } = annotation;
  const inner = rest[textOf(type)];
  return isFields(inner) ? { type, ...inner } : annotation;
}

const DATA_URL = /^data:image\/([\w.+-]{1,64})[;,]/;

/** Translates a picture in a chat's answer to an item: base64 with its format, or the URL that the vendor gave. */
export function toImageItem(image: Fields, id: string): Fields {
  const { image_url: source } = image;
  const url = textOf(isFields(source) ? source['url'] : undefined);
  const item = { id, type: 'image_generation_call', status: 'completed' };
  const comma = url.indexOf(',');
  const format = comma === -1 ? undefined : DATA_URL.exec(url)?.[1];
  if (format === undefined) return { ...item, result: url };
  return { ...item, result: url.slice(comma + 1), output_format: format };
}
