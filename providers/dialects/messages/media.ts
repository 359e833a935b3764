/** Translates images and files between chat parts and Anthropic's blocks, in both directions. */
import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, isFields, textOf, withoutUndefined } from '../../../domain/fields.ts';
import { parseDataUrl } from '../../data-url.ts';

/** Translates an `image_url` part to an `image` block. */
export function toImageBlock(part: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const image = isFields(part['image_url']) ? part['image_url'] : {};
  const { url, detail, ...others } = image;
  if (detail !== undefined && detail !== null && detail !== 'auto')
    unsupported.add(`${path}.image_url.detail`);
  unsupported.addOthers(others, `${path}.image_url`);
  return withoutUndefined({
    type: 'image',
    source: toSource(textOf(url), `${path}.image_url.url`, unsupported),
    cache_control: part['cache_control'],
  });
}

/** Translates a `file` part to a `document` block. Plain text becomes a text source. */
export function toDocumentBlock(part: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const file = isFields(part['file']) ? part['file'] : {};
  const { file_data: data, filename, ...others } = file;
  unsupported.addOthers(others, `${path}.file`);
  if (typeof data !== 'string')
    unsupported.add(`${path}.file.file_data`, 'is required by the provider of this model');
  const source = toSource(textOf(data), `${path}.file.file_data`, unsupported, 'application/pdf');
  const isText = source['media_type'] === 'text/plain';
  return withoutUndefined({
    type: 'document',
    source: isText
      ? { type: 'text', media_type: 'text/plain', data: fromBase64(textOf(source['data'])) }
      : source,
    title: filename,
    cache_control: part['cache_control'],
  });
}

/** Returns the source of a block. Bare base64 gets the type `bareType`, if one is given. */
function toSource(url: string, path: string, unsupported: UnsupportedFields, bareType?: string): Fields {
  const inline = parseDataUrl(url);
  if (inline === undefined && url.startsWith('data:'))
    unsupported.add(path, 'is no data URL that can be read');
  if (inline !== undefined) return { type: 'base64', media_type: inline.mediaType, data: inline.base64 };
  const isBare = bareType !== undefined && !/^https?:/i.test(url);
  return isBare ? { type: 'base64', media_type: bareType, data: url } : { type: 'url', url };
}

/** Translates an `image` block to an `image_url` part. */
export function toImagePart(block: Fields, path: string, unsupported: UnsupportedFields): Fields {
  if (block['transformations']) unsupported.add(`${path}.transformations`);
  return withoutUndefined({
    type: 'image_url',
    image_url: { url: toUrl(block['source'], path, unsupported) },
    cache_control: block['cache_control'],
  });
}

/** Translates a `document` block to a `file` part. */
export function toFilePart(block: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { citations, context, title } = block;
  if (isFields(citations) && citations['enabled'] === true) unsupported.add(`${path}.citations`);
  if (context) unsupported.add(`${path}.context`);
  const data = toUrl(block['source'], path, unsupported);
  return withoutUndefined({
    type: 'file',
    file: { filename: typeof title === 'string' ? title : 'document', file_data: data },
    cache_control: block['cache_control'],
  });
}

function toUrl(source: unknown, path: string, unsupported: UnsupportedFields): string {
  const { type, url, data, media_type: mediaType } = isFields(source) ? source : {};
  if (type === 'url') return textOf(url);
  if (type === 'base64') return `data:${textOf(mediaType)};base64,${textOf(data)}`;
  if (type === 'text') return `data:text/plain;base64,${Buffer.from(textOf(data)).toString('base64')}`;
  unsupported.add(`${path}.source.type`);
  return '';
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
