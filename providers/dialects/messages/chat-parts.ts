/** Translates the content parts of a chat message to Anthropic's blocks. */
import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, isFields, textOf, withoutUndefined } from '../../../domain/fields.ts';
import { toDocumentBlock, toImageBlock } from './media.ts';

/** Returns the texts of a system message as text blocks. */
export function toTextBlocks(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return fieldsIn(content).map(({ text, cache_control }) =>
    withoutUndefined({ type: 'text', text: textOf(text), cache_control }),
  );
}

/** Translates a message's content to Anthropic's: a text, or blocks. `path` is the message's path in the request. */
export function contentOf({ content }: Fields, path: string, unsupported: UnsupportedFields): unknown {
  if (!Array.isArray(content)) return content ?? '';
  return content.map((part, i) => toBlock(isFields(part) ? part : {}, `${path}.content.${i}`, unsupported));
}

function toBlock(part: Fields, path: string, unsupported: UnsupportedFields): Fields {
  switch (part['type']) {
    case 'text':
      return withoutUndefined({ type: 'text', text: part['text'], cache_control: part['cache_control'] });
    case 'refusal':
      return { type: 'text', text: textOf(part['refusal']) };
    case 'image_url':
      return toImageBlock(part, path, unsupported);
    case 'file':
      return toDocumentBlock(part, path, unsupported);
    default:
      unsupported.addName(`${path}.type`, part['type']);
      return part;
  }
}
