/** Writes answers of the local upstream in Anthropic's format, complete or streamed. */
import { randomUUID } from 'node:crypto';
import type { ChatRequest } from '../chat/chat-request.ts';
import { type Composed, promptTokens } from '../chat/compose-answer.ts';
import { tokenize } from '../chat/tokens.ts';
import { jsonReply, type Reply, streamedReply } from '../reply.ts';
import { toNamedEvent } from '../server-sent-event.ts';
import { markedTokens, type MessagesRequest } from './messages-request.ts';

export interface MessageAnswer {
  request: MessagesRequest;
  /** The request converted to a chat. */
  chat: ChatRequest;
  composed: Composed;
}

type Block =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown };

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;
const THOUGHT = 'It is best to repeat it.';
const SIGNATURE = 'c2lnbmF0dXJlIG9mIHRoZSBsb2NhbCB1cHN0cmVhbQ==';

/** Returns the complete answer. */
export function presentMessage(answer: MessageAnswer): Reply {
  return jsonReply(200, {
    ...head(answer),
    ...endOf(answer),
    content: blocksOf(answer),
    usage: usageOf(answer),
  });
}

/** Returns the answer as events: one delta for each token. */
export function presentMessageStream(answer: MessageAnswer): Reply {
  return streamedReply([...eventsOf(answer)].map(toNamedEvent));
}

function* eventsOf(answer: MessageAnswer): Generator<{ type: string; [field: string]: unknown }> {
  const usage = { ...usageOf(answer), output_tokens: 1 };
  const message = { ...head(answer), content: [], stop_reason: null, stop_sequence: null, usage };
  yield { type: 'message_start', message };
  yield { type: 'ping' };
  for (const [index, block] of blocksOf(answer).entries()) {
    const { start, deltas } = inPieces(block);
    yield { type: 'content_block_start', index, content_block: start };
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  yield {
    type: 'message_delta',
    delta: endOf(answer),
    usage: { output_tokens: usageOf(answer).output_tokens },
  };
  yield { type: 'message_stop' };
}

function inPieces(block: Block): { start: object; deltas: object[] } {
  if (block.type === 'text') {
    const deltas = tokenize(block.text).map((text) => ({ type: 'text_delta', text }));
    return { start: { ...block, text: '' }, deltas };
  }
  if (block.type === 'thinking') {
    const deltas = tokenize(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signed = { type: 'signature_delta', signature: block.signature };
    return { start: { ...block, thinking: '', signature: '' }, deltas: [...deltas, signed] };
  }
  const pieces = ['', ...tokenize(JSON.stringify(block.input))];
  const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return { start: { ...block, input: {} }, deltas };
}

function blocksOf({ request, composed }: MessageAnswer): Block[] {
  const { content, toolCalls } = composed;
  const thinks = request.thinking !== undefined && request.thinking.type !== 'disabled';
  return [
    ...(thinks ? [{ type: 'thinking' as const, thinking: THOUGHT, signature: SIGNATURE }] : []),
    ...(content === null ? [] : [{ type: 'text' as const, text: content }]),
    ...toolCalls.map(({ id, function: { name, arguments: text } }) => ({
      type: 'tool_use' as const,
      id: id.replace('call_', 'toolu_'),
      name,
      input: JSON.parse(text) as unknown,
    })),
  ];
}

function head({ request }: MessageAnswer) {
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  return { id, type: 'message', role: 'assistant', model: request.model, container: null };
}

function endOf({ composed }: MessageAnswer) {
  return { stop_reason: STOP_REASONS[composed.finishReason], stop_sequence: null, stop_details: null };
}

/** Returns the usage. Tokens marked for caching count as written each time, since there is no cache. */
function usageOf({ request, chat, composed }: MessageAnswer) {
  const { fiveMinutes, hour } = markedTokens(request);
  const thinking = request.thinking === undefined ? 0 : tokenize(THOUGHT).length;
  return {
    input_tokens: promptTokens(chat) - fiveMinutes - hour,
    cache_creation_input_tokens: fiveMinutes + hour,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: hour },
    output_tokens: composed.completionTokens + thinking,
    output_tokens_details: { thinking_tokens: thinking },
    service_tier: 'standard',
  };
}
