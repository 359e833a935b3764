/** Translates a streamed Anthropic answer to the chunks of a chat, event by event. */
import type { ChatChunk } from '../../chat-adapter.ts';
import type { DialectEvent } from '../../dialect-adapter.ts';
import { type Fields, isFields, textOf } from '../../../domain/fields.ts';
import type { StreamTranslator } from '../translated-stream.ts';
import { finishOf } from './answer-to-chat.ts';
import { encryptedDetail, toReasoningDetail } from './thinking.ts';
import { usageToChat } from './usage.ts';

/** The most blocks that are open at once. Vendors end each block before the next one; this bounds the memory. */
const MAX_OPEN_BLOCKS = 1_000;

interface OpenBlock {
  type: string;
  /** The block's position among blocks of its kind: tool calls and thinking blocks are counted separately. */
  position: number;
  hasInput: boolean;
}

/** Holds what the events of an answer contained so far. */
interface TranslatedAnswer {
  blocks: Map<unknown, OpenBlock>;
  calls: number;
  thoughts: number;
  usage: Fields;
  id: string | undefined;
}

/** Translates Anthropic's events to the chunks of a chat. Skips blocks of kinds that a chat does not have. */
export function createChunkTranslator(): StreamTranslator<DialectEvent, ChatChunk> {
  const answer: TranslatedAnswer = {
    blocks: new Map<unknown, OpenBlock>(),
    calls: 0,
    thoughts: 0,
    usage: {},
    id: undefined,
  };

  return {
    translate(event) {
      const { type, index, message, content_block: block, delta } = event;
      if (type === 'message_start' && isFields(message)) {
        if (typeof message['id'] === 'string') answer.id = message['id'];
        const { model } = message;
        return [
          {
            ...chunk(answer, { role: 'assistant', content: '' }),
            ...(typeof model === 'string' ? { model } : {}),
            ...count(answer, message['usage']),
          },
        ];
      }
      if (type === 'content_block_start' && isFields(block)) return start(answer, index, block);
      if (type === 'content_block_delta' && isFields(delta)) return deltaChunks(answer, index, delta);
      if (type === 'content_block_stop') return stop(answer, index);
      if (type !== 'message_delta' || !isFields(delta)) return [];
      return [{ ...chunk(answer, {}, finishOf(delta['stop_reason'])), ...count(answer, event['usage']) }];
    },
    end: () => [],
  };
}

function chunk(answer: TranslatedAnswer, delta: Fields, more: object = { finish_reason: null }): ChatChunk {
  return {
    ...(answer.id === undefined ? {} : { id: answer.id }),
    choices: [{ index: 0, delta, ...more }],
  };
}

function thoughtChunks(answer: TranslatedAnswer, { thinking }: Fields, position: number): ChatChunk[] {
  return textOf(thinking) === ''
    ? []
    : [
        chunk(answer, {
          reasoning: thinking,
          reasoning_details: [toReasoningDetail({ thinking }, position)],
        }),
      ];
}

function signatureChunks(answer: TranslatedAnswer, { signature }: Fields, position: number): ChatChunk[] {
  return textOf(signature) === ''
    ? []
    : [chunk(answer, { reasoning_details: [toReasoningDetail({ signature }, position)] })];
}

function start(answer: TranslatedAnswer, index: unknown, block: Fields): ChatChunk[] {
  const { type } = block;
  const isThought = type === 'thinking' || type === 'redacted_thinking';
  const position = isThought ? answer.thoughts++ : type === 'tool_use' ? answer.calls++ : 0;
  const input =
    isFields(block['input']) && Object.keys(block['input']).length > 0 ? JSON.stringify(block['input']) : '';
  if (answer.blocks.size === MAX_OPEN_BLOCKS) answer.blocks.clear();
  answer.blocks.set(index, { type: textOf(type), position, hasInput: input !== '' });
  if (type === 'tool_use') {
    const called = { name: block['name'], arguments: input };
    return [
      chunk(answer, {
        tool_calls: [{ index: position, id: block['id'], type: 'function', function: called }],
      }),
    ];
  }
  if (type === 'redacted_thinking')
    return [chunk(answer, { reasoning_details: [encryptedDetail(block['data'], position)] })];
  // Most vendors send text and thoughts in later pieces; some send them with the start of the block.
  if (type === 'thinking')
    return [...thoughtChunks(answer, block, position), ...signatureChunks(answer, block, position)];
  return type === 'text' && textOf(block['text']) !== '' ? [chunk(answer, { content: block['text'] })] : [];
}

function deltaChunks(answer: TranslatedAnswer, index: unknown, delta: Fields): ChatChunk[] {
  const block = answer.blocks.get(index);
  const position = block?.position ?? 0;
  switch (delta['type']) {
    case 'text_delta':
      return [chunk(answer, { content: delta['text'] })];
    case 'thinking_delta':
      return thoughtChunks(answer, delta, position);
    case 'signature_delta':
      return signatureChunks(answer, delta, position);
    case 'input_json_delta': {
      const text = textOf(delta['partial_json']);
      if (block?.type !== 'tool_use' || text === '') return [];
      block.hasInput = true;
      return [chunk(answer, { tool_calls: [{ index: position, function: { arguments: text } }] })];
    }
    default:
      return [];
  }
}

/** Ends a block. A tool call without arguments gets `{}`, because an empty text is not valid JSON. */
function stop(answer: TranslatedAnswer, index: unknown): ChatChunk[] {
  const block = answer.blocks.get(index);
  answer.blocks.delete(index);
  if (block?.type !== 'tool_use' || block.hasInput) return [];
  return [chunk(answer, { tool_calls: [{ index: block.position, function: { arguments: '{}' } }] })];
}

/** Returns the counts so far, and the tier that served the answer. */
function count(answer: TranslatedAnswer, counted: unknown): Pick<ChatChunk, 'usage'> {
  if (!isFields(counted)) return {};
  answer.usage = mergeUsage(answer.usage, counted);
  const { service_tier: tier } = answer.usage;
  return { usage: usageToChat(answer.usage), ...(typeof tier === 'string' && { service_tier: tier }) };
}

/**
 * Merges the counts of a later event into earlier ones. Counts of a stream are cumulative, so a count that is absent or
 * null in the later event keeps its value.
 */
export function mergeUsage(known: Fields, counted: Fields): Fields {
  const merged = { ...known };
  for (const name in counted) if (counted[name] !== null) merged[name] = counted[name];
  return merged;
}
