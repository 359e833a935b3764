import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, textOf, withoutUndefined } from '../../../domain/fields.ts';
import { ADDITIONAL_TOOLS } from './additional-tools.ts';
import { ChatTurn } from './chat-turn.ts';
import type { FunctionNames } from './function-names.ts';

/** Translates the conversation of a responses request to messages of a chat. */
export function toChatMessages(
  { instructions, input }: Fields,
  names: FunctionNames,
  unsupported: UnsupportedFields,
): Fields[] {
  const messages: Fields[] = [];
  if (textOf(instructions) !== '') messages.push({ role: 'system', content: instructions });
  if (typeof input === 'string') return [...messages, { role: 'user', content: input }];
  let turn: ChatTurn | undefined;
  const endTurn = (): void => {
    if (turn !== undefined) messages.push(turn.toMessage());
    turn = undefined;
  };
  for (const [index, item] of fieldsIn(input).entries()) {
    if (item['type'] === ADDITIONAL_TOOLS) continue;
    const path = `body.input.${index}`;
    if (!isOfModel(item)) {
      endTurn();
      messages.push(toChatMessage(item, path, unsupported));
    } else {
      if (turn !== undefined && !turn.takes(item['type'])) endTurn();
      addTo((turn ??= new ChatTurn(names)), item, path, unsupported);
    }
  }
  endTurn();
  return messages;
}

const MADE_BY_MODEL = new Set<unknown>(['function_call', 'reasoning', 'image_generation_call']);

function isOfModel({ type, role }: Fields): boolean {
  return isMessage(type) ? role === 'assistant' : MADE_BY_MODEL.has(type);
}

function isMessage(type: unknown): boolean {
  return type === undefined || type === 'message';
}

function addTo(turn: ChatTurn, item: Fields, path: string, unsupported: UnsupportedFields): void {
  switch (item['type']) {
    case 'function_call':
      return turn.addCall(item);
    case 'reasoning':
      return turn.addReasoning(item);
    case 'image_generation_call':
      return turn.addImage(item);
    default:
      return turn.addMessage(item['content'], `${path}.content`, unsupported);
  }
}

function toChatMessage(item: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { type, role, content, call_id: id, output } = item;
  if (isMessage(type)) return { role, content: toChatContent(content, `${path}.content`, unsupported) };
  if (type !== 'function_call_output') unsupported.addName(`${path}.type`, type);
  return { role: 'tool', tool_call_id: id, content: toChatContent(output, `${path}.output`, unsupported) };
}

/**
 * Translates the content of a responses item to the content of a chat message: a text, or parts. A single plain text
 * becomes a string, which every server accepts. `path` is the content's path in the request.
 */
function toChatContent(content: unknown, path: string, unsupported: UnsupportedFields): string | Fields[] {
  if (!Array.isArray(content)) return textOf(content);
  const parts = fieldsIn(content).map((part, index) => toChatPart(part, `${path}.${index}`, unsupported));
  const [first] = parts;
  const isPlainText = parts.length === 1 && first?.['type'] === 'text' && !('cache_control' in first);
  return isPlainText ? textOf(first['text']) : parts;
}

function toChatPart(part: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const converted = convert(part, path, unsupported);
  const marker = part['cache_control'];
  return marker === undefined || marker === null ? converted : { ...converted, cache_control: marker };
}

function convert(part: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { type } = part;
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part['text'] };
    case 'input_image':
      return imageOf(part, path, unsupported);
    case 'input_file':
      return fileOf(part, path, unsupported);
    case 'input_audio':
      return { type, input_audio: part['input_audio'] };
    case 'input_video':
      return { type: 'video_url', video_url: { url: part['video_url'] } };
    default:
      unsupported.addName(`${path}.type`, type);
      return part;
  }
}

function imageOf({ image_url: url, detail }: Fields, path: string, unsupported: UnsupportedFields): Fields {
  if (typeof url !== 'string') unsupported.add(`${path}.image_url`, 'must be the URL of a picture');
  return { type: 'image_url', image_url: withoutUndefined({ url, detail: detail ?? undefined }) };
}

/** Translates a file part. A chat message can hold a file's bytes but not its URL. */
function fileOf(
  { filename, file_data, file_url: url }: Fields,
  path: string,
  unsupported: UnsupportedFields,
): Fields {
  if (url !== undefined && url !== null) unsupported.add(`${path}.file_url`);
  else if (typeof file_data !== 'string') unsupported.add(`${path}.file_data`, 'must be the bytes of a file');
  return { type: 'file', file: withoutUndefined({ filename: filename ?? undefined, file_data }) };
}
