/** Collects the content of a response, whole or streamed, for the log and for observability destinations. */
import type { ChatChunk } from '../../../providers/chat-adapter.ts';
import type { DialectEvent, DialectObject } from '../../../providers/dialect-adapter.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import type { BodyDraft } from '../body-draft.ts';

type Delta = ChatChunk['choices'][number]['delta'];

/** Adds a whole response, in the form of a chat, to the draft. */
export function draftResponse(draft: BodyDraft, response: DialectObject): void {
  for (const [index, item] of fieldsIn(response['output']).entries()) {
    addDelta(draft, {
      content: textsIn(item['type'] === 'message' ? item['content'] : undefined),
      reasoning: item['type'] === 'reasoning' ? thoughtIn(item) : '',
      ...(isCall(item) ? { tool_calls: [callOf(item, index, textOf(item['arguments']))] } : {}),
    });
  }
}

/** Adds the next event of a stream to the draft. */
export function draftEvent(draft: BodyDraft, { type, delta, item, output_index: index }: DialectEvent): void {
  if (type === 'response.output_item.added' && isFields(item) && isCall(item))
    return addDelta(draft, { tool_calls: [callOf(item, index, '')] });
  if (typeof delta !== 'string') return;
  if (type === 'response.output_text.delta' || type === 'response.refusal.delta')
    addDelta(draft, { content: delta });
  else if (type === 'response.function_call_arguments.delta')
    addDelta(draft, { tool_calls: [{ index, function: { arguments: delta } }] });
  else if (type.startsWith('response.reasoning_')) addDelta(draft, { reasoning: delta });
}

function addDelta(draft: BodyDraft, delta: Delta): void {
  draft.addChunk({ choices: [{ index: 0, delta }] });
}

function isCall({ type }: Fields): boolean {
  return type === 'function_call';
}

function callOf({ call_id: id, name }: Fields, index: unknown, given: string): Fields {
  return { index, id, function: { name, arguments: given } };
}

function thoughtIn({ content, summary }: Fields): string {
  return textsIn(content) || textsIn(summary);
}

function textsIn(parts: unknown): string {
  return fieldsIn(parts)
    .map(({ text, refusal }) => textOf(text) || textOf(refusal))
    .join('');
}
