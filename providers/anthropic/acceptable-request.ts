/** Adapts the conversation of a request to the rules that Anthropic's API enforces. */
import { createHash } from 'node:crypto';
import { type Fields, isFields } from '../../domain/fields.ts';

/** The ids of tool calls that the vendor accepts. Its error quotes the pattern; the length was tried. */
const VALID_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const KEPT_CHARACTERS = 40;
const HASH_CHARACTERS = 16;

/**
 * Returns a request without blank texts and empty messages, and with valid ids of tool calls. The vendor rejects the
 * whole request otherwise. The given request stays unchanged.
 */
export function toAcceptable<Request extends Fields>(request: Request): Request {
  const { messages, system } = request;
  const changed: Fields = { ...request };
  if (Array.isArray(messages)) changed['messages'] = messages.flatMap(messageOf);
  if (isBlank(system) || (Array.isArray(system) && system.every(isBlankText))) delete changed['system'];
  else if (Array.isArray(system)) changed['system'] = system.filter((block) => !isBlankText(block));
  return changed as Request;
}

/** Returns a message in a list, or an empty list for a message without content. */
function messageOf(message: unknown): unknown[] {
  if (!isFields(message)) return [message];
  const { content } = message;
  if (content === undefined || content === null || isBlank(content)) return [];
  if (!Array.isArray(content)) return [message];
  const blocks = blocksOf(content as unknown[]);
  return blocks.length === 0 ? [] : [{ ...message, content: blocks }];
}

function blocksOf(blocks: readonly unknown[]): unknown[] {
  return blocks
    .filter((block) => !isBlankText(block))
    .map((block) => (isFields(block) ? blockOf(block) : block));
}

function isBlankText(block: unknown): boolean {
  return isFields(block) && block['type'] === 'text' && (isBlank(block['text']) || block['text'] === null);
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

function blockOf(block: Fields): Fields {
  switch (block['type']) {
    case 'tool_use':
      return { ...block, id: validId(block['id']) };
    case 'tool_result': {
      const { content } = block;
      const blocks = Array.isArray(content) ? { content: blocksOf(content as unknown[]) } : {};
      return { ...block, tool_use_id: validId(block['tool_use_id']), ...blocks };
    }
    default:
      return block;
  }
}

/**
 * Returns an id that the vendor accepts. The same id always becomes the same one, so that calls and results agree over
 * all turns, and different ids become different ones.
 */
function validId(id: unknown): unknown {
  if (typeof id !== 'string' || VALID_ID.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_CHARACTERS);
  return `${id.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, KEPT_CHARACTERS)}_${hash}`;
}
