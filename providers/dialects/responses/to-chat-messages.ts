import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, textOf } from '../../../domain/fields.ts';
import { ADDITIONAL_TOOLS } from './additional-tools.ts';
import { toChatContent } from './chat-content.ts';
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
  if (type !== 'function_call_output')
    unsupported.add(`${path}.type`, `${textOf(type)} is not supported by the provider of this model`);
  return { role: 'tool', tool_call_id: id, content: toChatContent(output, `${path}.output`, unsupported) };
}
