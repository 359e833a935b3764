/** Translates the conversation of an Anthropic request to chat messages. */
import { type UnsupportedFields, hasContent } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, isFields, textOf, withoutUndefined } from '../../../domain/fields.ts';
import { checkBlock, checkMessage } from './known-fields.ts';
import { toFilePart, toImagePart } from './media.ts';
import { toReasoning } from './thinking.ts';
import { toToolArguments } from './tool-input.ts';

/** Translates `system` and `messages` of a messages request to the messages of a chat. */
export function toChatMessages({ system, messages }: Fields, unsupported: UnsupportedFields): Fields[] {
  const translated = fieldsIn(messages).flatMap((message, i) =>
    toMessages(message, `body.messages.${i}`, unsupported),
  );
  const prompt = toContent(fieldsOrText(system), 'body.system', unsupported);
  return prompt === undefined ? translated : [{ role: 'system', content: prompt }, ...translated];
}

function fieldsOrText(content: unknown): Fields[] | string | undefined {
  if (Array.isArray(content)) return content.length === 0 ? undefined : fieldsIn(content);
  return typeof content === 'string' ? content : undefined;
}

function toMessages(message: Fields, path: string, unsupported: UnsupportedFields): Fields[] {
  const { role, content } = message;
  checkMessage(message, path, unsupported);
  if (!Array.isArray(content)) return [{ role, content }];
  const blocks = fieldsIn(content);
  return role === 'assistant'
    ? [toAssistant(blocks, path, unsupported)]
    : toTurns(role, blocks, path, unsupported);
}

/**
 * Translates a message's blocks. Each tool result becomes a message of its own; adjacent other blocks become one
 * message.
 */
function toTurns(
  role: unknown,
  blocks: readonly Fields[],
  path: string,
  unsupported: UnsupportedFields,
): Fields[] {
  const turns: Fields[] = [];
  let parts: Fields[] | undefined;
  for (const [i, block] of blocks.entries()) {
    const at = `${path}.content.${i}`;
    if (block['type'] === 'tool_result') {
      turns.push(toToolMessage(block, at, unsupported));
      parts = undefined;
    } else {
      if (parts === undefined) turns.push({ role, content: (parts = []) });
      parts.push(toPart(block, at, unsupported));
    }
  }
  return turns;
}

/** Precedes the text of a failed tool result, because a chat's tool message has no field for the failure. */
const FAILED = 'Error: ';

function toToolMessage(block: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { tool_use_id: id, is_error: isError } = block;
  checkBlock(block, path, unsupported);
  const content = toContent(fieldsOrText(block['content']), `${path}.content`, unsupported) ?? '';
  if (isError !== true) return { role: 'tool', tool_call_id: id, content };
  const failed =
    typeof content === 'string' ? FAILED + content : [{ type: 'text', text: FAILED }, ...content];
  return { role: 'tool', tool_call_id: id, content: failed };
}

function toContent(
  content: readonly Fields[] | string | undefined,
  path: string,
  unsupported: UnsupportedFields,
): Fields[] | string | undefined {
  if (content === undefined || typeof content === 'string') return content;
  return content.map((block, i) => toPart(block, `${path}.${i}`, unsupported));
}

function toPart(block: Fields, path: string, unsupported: UnsupportedFields): Fields {
  checkBlock(block, path, unsupported);
  switch (block['type']) {
    case 'text':
      return toTextPart(block, path, unsupported);
    case 'image':
      return toImagePart(block, path, unsupported);
    case 'document':
      return toFilePart(block, path, unsupported);
    case 'tool_reference':
      return { type: 'text', text: `The tool ${textOf(block['tool_name'])} can be called now.` };
    default:
      unsupported.addName(`${path}.type`, block['type']);
      return block;
  }
}

function toTextPart(
  { text, citations, cache_control }: Fields,
  path: string,
  unsupported: UnsupportedFields,
): Fields {
  if (hasContent(citations)) unsupported.add(`${path}.citations`);
  return withoutUndefined({ type: 'text', text, cache_control: cache_control ?? undefined });
}

function toAssistant(blocks: readonly Fields[], path: string, unsupported: UnsupportedFields): Fields {
  const parts: Fields[] = [];
  const thoughts: Fields[] = [];
  const calls: Fields[] = [];
  for (const [i, block] of blocks.entries()) {
    const { type } = block;
    if (type === 'thinking' || type === 'redacted_thinking') thoughts.push(block);
    else if (type === 'tool_use') calls.push(toToolCall(block, `${path}.content.${i}`, unsupported));
    else parts.push(toPart(block, `${path}.content.${i}`, unsupported));
  }
  return {
    role: 'assistant',
    content: textOrParts(parts),
    ...toReasoning(thoughts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Returns a single text as a string, the form that most models expect. Returns anything else as parts. */
function textOrParts(parts: Fields[]): unknown {
  const [first] = parts;
  if (first === undefined) return null;
  const isPlain = parts.length === 1 && first['type'] === 'text' && first['cache_control'] === undefined;
  return isPlain ? first['text'] : parts;
}

function toToolCall(block: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { id, name, input, caller } = block;
  checkBlock(block, path, unsupported);
  if (isFields(input) === false && hasContent(input)) unsupported.add(`${path}.input`);
  if (isFields(caller) && caller['type'] !== 'direct') unsupported.add(`${path}.caller`);
  return { id, type: 'function', function: { name, arguments: toToolArguments(input) } };
}
