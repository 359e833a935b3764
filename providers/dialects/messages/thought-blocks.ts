/** Translates the streamed thoughts of a chat to Anthropic's events. */
import { type Fields, fieldsIn, textOf } from '../../../domain/fields.ts';
import type { EventBlocks } from './event-blocks.ts';

const KIND = 'thinking';

/** Writes the reasoning in a chunk's delta as blocks. */
export function addReasoning(blocks: EventBlocks, { reasoning, reasoning_details: details }: Fields): void {
  const entries = fieldsIn(details);
  // Some vendors send the text in both fields, some only in one.
  const text = textOf(reasoning) || entries.map(({ text: piece }) => textOf(piece)).join('');
  if (text !== '') blocks.addDelta(thinkingIn(blocks), { type: 'thinking_delta', thinking: text });
  for (const { type, signature, data } of entries) {
    if (type === 'reasoning.text' && textOf(signature) !== '') {
      blocks.addDelta(thinkingIn(blocks), { type: 'signature_delta', signature });
      blocks.close();
    } else if (type === 'reasoning.encrypted' && typeof data === 'string') {
      blocks.start('redacted_thinking', { type: 'redacted_thinking', data });
      blocks.close();
    }
  }
}

function thinkingIn(blocks: EventBlocks): number {
  return blocks.openOf(KIND) ?? blocks.start(KIND, { type: 'thinking', thinking: '', signature: '' });
}
