import type { ChatChunk } from '../../../../providers/chat-adapter.ts';
import type { DialectEvent } from '../../../../providers/dialect-adapter.ts';
import { type Fields, isFields, textOf } from '../fields.ts';
import type { StreamTranslator } from '../translated-stream.ts';
import { finishOf } from './answer-to-chat.ts';
import { encryptedDetail, toReasoningDetail } from './thinking.ts';
import { usageToChat } from './usage.ts';

interface OpenBlock {
  type: unknown;
  /** The block's place among blocks of its kind: tool calls and thinking blocks are counted apart. */
  position: number;
  hasInput: boolean;
}

/** Translates Anthropic's events to the chunks of a chat. Skips blocks of kinds that a chat does not have. */
export function createChunkTranslator(): StreamTranslator<DialectEvent, ChatChunk> {
  const blocks = new Map<unknown, OpenBlock>();
  let calls = 0;
  let thoughts = 0;
  let usage: Fields = {};
  let id: string | undefined;

  const chunk = (delta: Fields, more: object = { finish_reason: null }): ChatChunk => ({
    ...(id === undefined ? {} : { id }),
    choices: [{ index: 0, delta, ...more }],
  });

  const think = ({ thinking }: Fields, position: number): ChatChunk[] =>
    textOf(thinking) === ''
      ? []
      : [chunk({ reasoning: thinking, reasoning_details: [toReasoningDetail({ thinking }, position)] })];

  const sign = ({ signature }: Fields, position: number): ChatChunk[] =>
    textOf(signature) === ''
      ? []
      : [chunk({ reasoning_details: [toReasoningDetail({ signature }, position)] })];

  const start = (index: unknown, block: Fields): ChatChunk[] => {
    const { type } = block;
    const isThought = type === 'thinking' || type === 'redacted_thinking';
    const position = isThought ? thoughts++ : type === 'tool_use' ? calls++ : 0;
    const input =
      isFields(block['input']) && Object.keys(block['input']).length > 0
        ? JSON.stringify(block['input'])
        : '';
    blocks.set(index, { type, position, hasInput: input !== '' });
    if (type === 'tool_use') {
      const called = { name: block['name'], arguments: input };
      return [
        chunk({ tool_calls: [{ index: position, id: block['id'], type: 'function', function: called }] }),
      ];
    }
    if (type === 'redacted_thinking')
      return [chunk({ reasoning_details: [encryptedDetail(block['data'], position)] })];
    // What most vendors send in pieces, some send with the beginning.
    if (type === 'thinking') return [...think(block, position), ...sign(block, position)];
    return type === 'text' && textOf(block['text']) !== '' ? [chunk({ content: block['text'] })] : [];
  };

  const say = (index: unknown, delta: Fields): ChatChunk[] => {
    const block = blocks.get(index);
    const position = block?.position ?? 0;
    switch (delta['type']) {
      case 'text_delta':
        return [chunk({ content: delta['text'] })];
      case 'thinking_delta':
        return think(delta, position);
      case 'signature_delta':
        return sign(delta, position);
      case 'input_json_delta': {
        const text = textOf(delta['partial_json']);
        if (block?.type !== 'tool_use' || text === '') return [];
        block.hasInput = true;
        return [chunk({ tool_calls: [{ index: position, function: { arguments: text } }] })];
      }
      default:
        return [];
    }
  };

  /** Writes `{}` as the arguments of a tool call that ended without any, because an empty text is no JSON. */
  const stop = (index: unknown): ChatChunk[] => {
    const block = blocks.get(index);
    if (block?.type !== 'tool_use' || block.hasInput) return [];
    return [chunk({ tool_calls: [{ index: block.position, function: { arguments: '{}' } }] })];
  };

  const count = (counted: unknown): Pick<ChatChunk, 'usage'> => {
    if (!isFields(counted)) return {};
    usage = mergeUsage(usage, counted);
    return { usage: usageToChat(usage) };
  };

  return {
    translate(event) {
      const { type, index, message, content_block: block, delta } = event;
      if (type === 'message_start' && isFields(message)) {
        if (typeof message['id'] === 'string') id = message['id'];
        const { model } = message;
        return [
          {
            ...chunk({ role: 'assistant', content: '' }),
            ...(typeof model === 'string' ? { model } : {}),
            ...count(message['usage']),
          },
        ];
      }
      if (type === 'content_block_start' && isFields(block)) return start(index, block);
      if (type === 'content_block_delta' && isFields(delta)) return say(index, delta);
      if (type === 'content_block_stop') return stop(index);
      if (type !== 'message_delta' || !isFields(delta)) return [];
      return [{ ...chunk({}, finishOf(delta['stop_reason'])), ...count(event['usage']) }];
    },
    end: () => [],
  };
}

/** Merges the counts of a stream, which are cumulative. A count that a later event omits or has as null stays valid. */
export function mergeUsage(known: Fields, counted: Fields): Fields {
  const merged = { ...known };
  for (const name in counted) if (counted[name] !== null) merged[name] = counted[name];
  return merged;
}
