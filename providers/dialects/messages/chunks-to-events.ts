/** Translates the stream of a chat to the stream of Anthropic's dialect. */
import type { ChatChunk, OpenAiUsage } from '../../chat-adapter.ts';
import type { DialectEvent } from '../../dialect-adapter.ts';
import { type Fields, fieldsIn, textOf } from '../../../domain/fields.ts';
import type { StreamTranslator } from '../translated-stream.ts';
import { CallBlocks } from './call-blocks.ts';
import { EventBlocks } from './event-blocks.ts';
import { newMessage } from './new-message.ts';
import { toStopReason } from './stop-reason.ts';
import { usageToMessages } from './usage.ts';
import { redactedData } from './thinking.ts';

/** The kind of blocks that hold thoughts. */
const THINKING = 'thinking';

/**
 * Translates the chunks of a chat to Anthropic's events. The last event is `message_delta`, because its counts come at
 * the end of the stream. Translates only the first choice. `atEnd` has extra fields for the last event. `keep` is
 * called with the memory of each piece of a tool call, which may wait for other calls.
 */
export function createEventTranslator(
  atEnd: Fields = {},
  keep: (bytes: number) => void = () => {},
): StreamTranslator<ChatChunk, DialectEvent> {
  const blocks = new EventBlocks();
  const calls = new CallBlocks(blocks, keep);
  let hasStarted = false;
  let finishReason: string | null = null;
  let stoppedBy: string | null = null;
  let usage: OpenAiUsage | undefined;
  let tier: string | undefined;

  const begin = ({ id, model }: ChatChunk): DialectEvent[] => {
    if (hasStarted) return [];
    hasStarted = true;
    return [{ type: 'message_start', message: newMessage(id, model) }];
  };
  const add = (delta: Fields): void => {
    const { content, refusal, tool_calls: pieces } = delta;
    const texts = typeof content === 'string' ? [content] : fieldsIn(content).map(({ text }) => textOf(text));
    // Text after a call means that the call is complete.
    if (!calls.isEmpty && hasText(delta, texts)) calls.close();
    addReasoning(blocks, delta);
    for (const text of texts) addText(blocks, text);
    addText(blocks, textOf(refusal));
    for (const [position, piece] of fieldsIn(pieces).entries()) calls.add(piece, position);
  };

  return {
    translate(chunk) {
      const events = begin(chunk);
      usage = chunk.usage ?? usage;
      if (typeof chunk['service_tier'] === 'string') tier = chunk['service_tier'];
      for (const choice of chunk.choices) {
        if (choice.index !== 0) continue;
        add(choice.delta);
        finishReason = choice.finish_reason ?? finishReason;
        if (typeof choice['stop_reason'] === 'string') stoppedBy = choice['stop_reason'];
      }
      const written = blocks.take();
      return events.length === 0 ? written : [...events, ...written];
    },
    end() {
      calls.close();
      blocks.close();
      const isStopped = stoppedBy !== null && finishReason === 'stop';
      const last: DialectEvent = {
        ...atEnd,
        type: 'message_delta',
        delta: {
          stop_reason: isStopped ? 'stop_sequence' : toStopReason(finishReason, !calls.isEmpty),
          stop_sequence: isStopped ? stoppedBy : null,
          stop_details: null,
          container: null,
        },
      };
      if (usage !== undefined)
        last['usage'] = { ...usageToMessages(usage), ...(tier === undefined ? {} : { service_tier: tier }) };
      return [...blocks.take(), last];
    },
  };
}

function addText(blocks: EventBlocks, text: string): void {
  if (text === '') return;
  const index = blocks.openOf('text') ?? blocks.start('text', { type: 'text', text: '' });
  blocks.addDelta(index, { type: 'text_delta', text });
}

function hasText({ reasoning, reasoning_details: details, refusal }: Fields, texts: string[]): boolean {
  const allTexts = [...texts, textOf(reasoning), textOf(refusal)];
  return allTexts.some((text) => text !== '') || fieldsIn(details).length > 0;
}

/** Writes the reasoning in a chunk's delta as blocks. */
function addReasoning(blocks: EventBlocks, { reasoning, reasoning_details: details }: Fields): void {
  const entries = fieldsIn(details);
  // Some vendors send the text in both fields, some only in one.
  const text = textOf(reasoning) || entries.map(({ text: piece }) => textOf(piece)).join('');
  if (text !== '') blocks.addDelta(thinkingIn(blocks), { type: 'thinking_delta', thinking: text });
  for (const entry of entries) {
    const { type, signature, data } = entry;
    if (type === 'reasoning.text' && textOf(signature) !== '') {
      blocks.addDelta(thinkingIn(blocks), { type: 'signature_delta', signature });
      blocks.close();
    } else if (type === 'reasoning.encrypted' && typeof data === 'string') {
      blocks.start('redacted_thinking', { type: 'redacted_thinking', data: redactedData(entry) });
      blocks.close();
    }
  }
}

function thinkingIn(blocks: EventBlocks): number {
  return blocks.openOf(THINKING) ?? blocks.start(THINKING, { type: 'thinking', thinking: '', signature: '' });
}
