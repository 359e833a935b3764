/**
 * Checks answers and chunks without a schema, because a schema would copy each of them. Only the fields that the
 * gateway uses are checked; the others pass unchanged.
 */
import type { ChatChunk, ChatCompletion, OpenAiUsage } from '../chat-adapter.ts';
import { errorIn, isObject, malformedAnswer, objectOf } from '../answer-checks.ts';

type Fields = Record<string, unknown>;

/** The largest accepted token count. No context is as large. */
const MAX_TOKENS = 2 ** 31 - 1;

/** Reads an answer's JSON as a completion. Throws ProviderError. */
export function readCompletion(value: unknown, secret: string | undefined): ChatCompletion {
  const answer = objectOf(value);
  const error = errorIn(answer, secret);
  if (error !== undefined) throw error;
  const { choices } = answer;
  if (!Array.isArray(choices) || choices.length === 0) throw malformedAnswer('no choices');
  for (const [position, choice] of choices.entries()) {
    if (!isObject(choice) || !isObject(choice['message']))
      throw malformedAnswer('a choice without a message');
    choice['index'] ??= position;
    choice['finish_reason'] ??= null;
    normalizeChoice(choice, choice['message']);
    choice['message']['role'] ??= 'assistant';
  }
  checkCommon(answer);
  return answer as ChatCompletion;
}

/** Reads the JSON of a stream's event as a chunk. Throws ProviderError. */
export function readChunk(value: unknown, secret: string | undefined): ChatChunk {
  const chunk = objectOf(value);
  const error = errorIn(chunk, secret);
  if (error !== undefined) throw error;
  // A chunk with usage only has no choices.
  const choices = (chunk['choices'] ??= []);
  if (!Array.isArray(choices)) throw malformedAnswer('choices that are no list');
  for (const choice of choices) {
    if (!isObject(choice)) throw malformedAnswer('a choice that is no object');
    choice['index'] ??= 0;
    choice['delta'] ??= {};
    if (!isObject(choice['delta'])) throw malformedAnswer('a delta that is no object');
    normalizeChoice(choice, choice['delta']);
  }
  checkCommon(chunk);
  return chunk as ChatChunk;
}

/**
 * Normalizes a choice and its message or delta. An empty finish reason becomes null, null tool calls are removed, and
 * `reasoning_content` becomes `reasoning`.
 */
function normalizeChoice(choice: Fields, message: Fields): void {
  const { finish_reason: reason } = choice;
  if (reason !== undefined && (typeof reason !== 'string' || reason === '')) choice['finish_reason'] = null;
  const { tool_calls: calls, reasoning_content: reasoning } = message;
  if (reasoning !== undefined) {
    // DeepSeek and older vLLM use this name; newer vLLM sends both.
    if (typeof reasoning === 'string') message['reasoning'] ??= reasoning;
    delete message['reasoning_content'];
  }
  if (calls === undefined) return;
  if (!Array.isArray(calls)) delete message['tool_calls'];
  else if (!calls.every(isObject)) throw malformedAnswer('a tool call that is no object');
}

/** Removes a usage with invalid counts, because the bill depends on them. */
export function checkUsage(body: Fields): void {
  const { usage } = body;
  if (usage === undefined || usage === null || isUsage(usage)) return;
  delete body['usage'];
}

function checkCommon(body: Fields): void {
  // Azure's first event of a stream reports on the prompt and has an empty id.
  if (body['id'] !== undefined && (typeof body['id'] !== 'string' || body['id'] === '')) delete body['id'];
  if (body['service_tier'] !== undefined && typeof body['service_tier'] !== 'string')
    delete body['service_tier'];
  checkUsage(body);
}

function isUsage(value: unknown): value is OpenAiUsage {
  return (
    isObject(value) &&
    isCount(value['prompt_tokens']) &&
    (value['completion_tokens'] === undefined || isCount(value['completion_tokens'])) &&
    isDetails(value['prompt_tokens_details']) &&
    isDetails(value['completion_tokens_details'])
  );
}

function isDetails(value: unknown): boolean {
  return value === undefined || value === null || isObject(value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
