/** Repairs the text and the calls of chat messages and deltas that servers send in other forms. */
import { type Fields, isFields } from '../../../domain/fields.ts';
import type { NoteRepair } from '../../repairs.ts';

/**
 * Makes the content a text and the thoughts a text, in place. Some servers send lists of parts, with thoughts among
 * them (Mistral's `thinking`). Pictures in the list become `images`.
 */
export function repairMessage(message: Fields, note: NoteRepair): void {
  repairReasoning(message, note);
  const { content } = message;
  if (content === undefined || content === null || typeof content === 'string') return;
  note('content');
  const parts = (Array.isArray(content) ? (content as unknown[]) : [content]).map(partOf);
  message['content'] = textOf(parts, 'text');
  const thoughts = textOf(parts, 'thinking');
  if (thoughts !== '') message['reasoning'] = `${textIn(message['reasoning'])}${thoughts}`;
  const images = parts.filter(({ type }) => type === 'image_url');
  if (images.length > 0) message['images'] ??= images;
}

/**
 * Makes a `function_call`, the older form of tool calls, the only tool call of a message, in place. The pieces of a
 * streamed one become pieces of that call.
 */
export function repairFunctionCall(message: Fields, note: NoteRepair): void {
  const { function_call: called, tool_calls: calls } = message;
  if (!isFields(called)) return;
  delete message['function_call'];
  // Some servers send both forms of the same call.
  if (isFields(calls) || (Array.isArray(calls) && calls.length > 0)) return;
  message['tool_calls'] = [{ index: 0, type: 'function', function: called }];
  note('tool_calls');
}

/** Returns whether a message has anything that a caller can use. */
export function hasContent(message: Fields): boolean {
  const { content, tool_calls: calls } = message;
  if (typeof content === 'string' && content !== '') return true;
  if (Array.isArray(calls) && calls.length > 0) return true;
  return ['reasoning', 'reasoning_details', 'refusal', 'audio', 'images', 'function_call'].some((name) => {
    const value = message[name];
    return (
      value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
    );
  });
}

/** DeepSeek and older vLLM send `reasoning_content`; newer vLLM sends both names. */
function repairReasoning(message: Fields, note: NoteRepair): void {
  const { reasoning_content: older, reasoning } = message;
  if (older !== undefined) {
    if (typeof older === 'string') message['reasoning'] ??= older;
    delete message['reasoning_content'];
  }
  if (reasoning === undefined || reasoning === null || typeof reasoning === 'string') return;
  note('content');
  message['reasoning'] = textIn(
    isFields(reasoning) ? (reasoning['content'] ?? reasoning['text']) : undefined,
  );
}

function partOf(part: unknown): Fields {
  return isFields(part) ? part : { type: 'text', text: part };
}

/** Joins the texts of the parts of one kind. A part without a type is text. */
function textOf(parts: readonly Fields[], kind: 'text' | 'thinking'): string {
  return parts
    .filter(({ type = 'text' }) => (kind === 'thinking') === (type === 'thinking' || type === 'reasoning'))
    .map((part) => textIn(part[kind] ?? part['text']))
    .join('');
}

/** Returns the text of a value: a text, or the texts in a list of parts. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((part: unknown) => textIn(isFields(part) ? part['text'] : part)).join('');
}
