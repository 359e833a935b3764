/** Translates blocks of Anthropic's dialect to those of Bedrock's Converse. */
import { type Fields, fieldsIn, fieldsOf, isFields, textOf, withoutUndefined } from '../../domain/fields.ts';
import { hasContent, type UnsupportedFields } from '../../domain/unsupported-fields.ts';

const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
};
const MAX_NAME_CHARACTERS = 200;

/** Translates the blocks of one request. Converse requires a different name for each of its documents. */
export class ConverseBlocks {
  readonly #unsupported: UnsupportedFields;
  readonly #names = new Set<string>();

  constructor(unsupported: UnsupportedFields) {
    this.#unsupported = unsupported;
  }

  /** Returns the blocks of a content, each with the cache point that its `cache_control` asks for. */
  contentOf(content: unknown, path: string): Fields[] {
    if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
    return fieldsIn(content).flatMap((block, i) => {
      const translated = this.#block(block, `${path}.${i}`);
      return translated === undefined ? [] : [translated, ...cachePoints(block)];
    });
  }

  #block(block: Fields, path: string): Fields | undefined {
    switch (block['type']) {
      case 'text':
        return { text: textOf(block['text']) };
      case 'image':
        return { image: this.#medium(block['source'], `${path}.source`, IMAGE_FORMATS) };
      case 'document':
        return { document: this.#document(block, path) };
      case 'tool_use':
        return { toolUse: { toolUseId: block['id'], name: block['name'], input: block['input'] ?? {} } };
      case 'tool_result':
        return { toolResult: this.#result(block, path) };
      case 'thinking': {
        const text = textOf(block['thinking']);
        const { signature } = block;
        return { reasoningContent: { reasoningText: withoutUndefined({ text, signature }) } };
      }
      case 'redacted_thinking':
        return { reasoningContent: { redactedContent: block['data'] } };
      default:
        this.#unsupported.addName(`${path}.type`, block['type']);
        return undefined;
    }
  }

  #document({ source, title, context, citations }: Fields, path: string): Fields {
    if (fieldsOf(citations)['enabled'] === true) this.#unsupported.add(`${path}.citations`);
    return withoutUndefined({
      ...this.#medium(source, `${path}.source`, DOCUMENT_FORMATS),
      name: this.#nameOf(textOf(title)),
      context: hasContent(context) ? context : undefined,
    });
  }

  #medium(source: unknown, path: string, formats: Readonly<Record<string, string>>): Fields {
    const { type, media_type: mediaType, data } = fieldsOf(source);
    if (type !== 'base64' && type !== 'text') {
      this.#unsupported.add(`${path}.type`, 'must be base64 for the provider of this model');
      return {};
    }
    const format = formats[type === 'text' ? 'text/plain' : textOf(mediaType)];
    if (format === undefined) this.#unsupported.addName(`${path}.media_type`, mediaType);
    const bytes = type === 'text' ? Buffer.from(textOf(data)).toString('base64') : data;
    return { format, source: { bytes } };
  }

  /** Returns a name of the characters that Converse takes, and that no other document of the request has. */
  #nameOf(title: string): string {
    const plain = title
      .replace(/\.\w{1,5}$/, '')
      .replaceAll(/[^a-zA-Z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, MAX_NAME_CHARACTERS - 5)
      .trim();
    let name = plain || 'document';
    for (let count = 2; this.#names.has(name); count += 1) name = `${plain || 'document'} ${count}`;
    this.#names.add(name);
    return name;
  }

  #result(block: Fields, path: string): Fields {
    return withoutUndefined({
      toolUseId: block['tool_use_id'],
      // A cache point may not be inside of a result.
      content: this.contentOf(block['content'], `${path}.content`).filter((part) => !('cachePoint' in part)),
      status: block['is_error'] === true ? 'error' : undefined,
    });
  }
}

/** Returns the cache point that follows a block, a text of the system prompt or a tool; an empty list for none. */
export function cachePoints({ cache_control: control }: Fields): Fields[] {
  if (!isFields(control)) return [];
  const { ttl } = control;
  // Older models refuse the field, and five minutes are the default.
  return [{ cachePoint: ttl === '1h' ? { type: 'default', ttl } : { type: 'default' } }];
}
