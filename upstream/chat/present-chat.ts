/** Writes chat answers of the local upstream in OpenAI's format, complete or streamed. */
import { randomUUID } from 'node:crypto';
import { jsonReply, type Reply, streamedReply } from '../reply.ts';
import { type StreamChunk, toEvent } from '../server-sent-event.ts';
import type { ChatRequest } from './chat-request.ts';
import { type Composed, promptTokens, type ToolCall } from './compose-answer.ts';
import { tokenize } from './tokens.ts';

export const SYSTEM_FINGERPRINT = 'fp_local_1';

/** Returns the complete answer as `chat.completion`. */
export function presentCompletion(request: ChatRequest, composed: Composed): Reply {
  const { content, toolCalls, finishReason } = composed;
  const message = {
    role: 'assistant',
    content,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    refusal: null,
  };
  return jsonReply(200, {
    ...head('chat.completion', request),
    choices: indexes(request).map((index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: finishReason,
    })),
    usage: usageOf(request, composed),
  });
}

/** Returns the answer as events: one for each token, one choice after the other. */
export function presentStream(request: ChatRequest, composed: Composed): Reply {
  const events = [...chunksOf(request, composed)].map(toEvent);
  events.push(toEvent('[DONE]'));
  return streamedReply(events);
}

function* chunksOf(request: ChatRequest, composed: Composed): Generator<StreamChunk> {
  const includeUsage = request.stream_options?.include_usage === true;
  const common = {
    ...head('chat.completion.chunk', request),
    ...(includeUsage ? { usage: null } : {}),
  };
  const chunk = (index: number, delta: object, finishReason: string | null = null): StreamChunk => ({
    ...common,
    choices: [{ index, delta, logprobs: null, finish_reason: finishReason }],
  });
  for (const index of indexes(request)) {
    yield chunk(index, { role: 'assistant', content: composed.content === null ? null : '', refusal: null });
    for (const token of tokenize(composed.content ?? '')) yield chunk(index, { content: token });
    for (const [position, call] of composed.toolCalls.entries()) {
      for (const delta of callDeltas(call, position)) yield chunk(index, { tool_calls: [delta] });
    }
    yield chunk(index, {}, composed.finishReason);
  }
  if (includeUsage) yield { ...common, choices: [], usage: usageOf(request, composed) };
}

/** Yields the deltas of a tool call: id and name first, then the arguments in pieces. */
function* callDeltas({ id, type, function: called }: ToolCall, index: number): Generator<object> {
  yield { index, id, type, function: { name: called.name, arguments: '' } };
  for (const piece of tokenize(called.arguments)) yield { index, function: { arguments: piece } };
}

function head<O extends string>(object: O, { model }: ChatRequest) {
  const created = Math.floor(Date.now() / 1000);
  return { id: `chatcmpl-${randomUUID()}`, object, created, model, system_fingerprint: SYSTEM_FINGERPRINT };
}

function indexes({ n }: ChatRequest): number[] {
  return Array.from({ length: n ?? 1 }, (_, index) => index);
}

/** Returns the usage. All details are zero, because nothing is cached and there is no reasoning. */
function usageOf(request: ChatRequest, composed: Composed) {
  const prompt = promptTokens(request);
  const completion = composed.completionTokens * (request.n ?? 1);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
