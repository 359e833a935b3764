/** Leaves out the thoughts in a conversation that a vendor cannot take, and notes the names of their fields. */
import { type Fields, isFields } from '../domain/fields.ts';
import type { LiveCallContext } from './call-context.ts';
import type { TextRequest } from './chat-adapter.ts';
import { isSealed } from './sealed-thoughts.ts';

/** The fields of a chat message that hold thoughts. */
export const THOUGHT_FIELDS = ['reasoning', 'reasoning_content', 'reasoning_details'] as const;

/** Returns a message without what the vendor cannot take, or the same message. `drop` notes the name of a field. */
type AdaptMessage = (message: Fields, drop: (name: string) => void) => Fields;

/**
 * Returns the request with adapted messages of the assistant, and adds the names of dropped fields to the context.
 * Returns the request unchanged if the caller requires every parameter.
 */
export function adaptThoughts(
  request: TextRequest,
  { droppedFields }: Pick<LiveCallContext, 'droppedFields'>,
  adapt: AdaptMessage,
): TextRequest {
  const { messages } = request;
  if (droppedFields === undefined || !Array.isArray(messages)) return request;
  const drop = (name: string): void => {
    if (!droppedFields.includes(`messages.${name}`)) droppedFields.push(`messages.${name}`);
  };
  let isChanged = false;
  const adapted = (messages as unknown[]).map((message) => {
    if (!isFields(message) || message['role'] !== 'assistant') return message;
    const changed = adapt(message, drop);
    isChanged ||= changed !== message;
    return changed;
  });
  return isChanged ? { ...request, messages: adapted } : request;
}

/** Removes all thoughts from a chat message, for vendors whose messages have no field for them. */
export const withoutThoughts: AdaptMessage = (message, drop) => {
  const present = THOUGHT_FIELDS.filter((name) => message[name] !== undefined);
  if (present.length === 0) return message;
  const { reasoning: _, reasoning_content: __, reasoning_details: ___, ...rest } = message;
  for (const name of present) if (message[name] !== null) drop(name);
  return rest;
};

/** Removes the blocks that Anthropic refuses: `thinking` without a signature, and thoughts of other vendors. */
export const withoutUnsignedThoughts: AdaptMessage = (message, drop) => {
  const { content } = message;
  if (!Array.isArray(content) || !content.some(isUnsigned)) return message;
  drop('thinking');
  return { ...message, content: content.filter((block) => !isUnsigned(block)) };
};

function isUnsigned(block: unknown): boolean {
  if (!isFields(block)) return false;
  if (block['type'] === 'redacted_thinking') return isSealed(block['data']);
  if (block['type'] !== 'thinking') return false;
  return typeof block['signature'] !== 'string' || block['signature'] === '';
}
