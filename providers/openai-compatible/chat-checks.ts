/**
 * Checks answers and chunks without a schema, because a schema would copy each of them. Only the fields that the
 * gateway uses are checked and repaired; the others pass unchanged.
 */
import { type Fields, isFields } from '../../domain/fields.ts';
import type { ChatChunk, ChatCompletion } from '../chat-adapter.ts';
import { malformedAnswer } from '../answer-checks.ts';
import type { NoteRepair } from '../repairs.ts';
import { endsWithCalls, mayBeEmpty, nameCalls, statedReason } from './repair/finish-reason.ts';
import { hasContent, repairFunctionCall, repairMessage } from './repair/message.ts';
import { repairCalls } from './repair/tool-calls.ts';
import { repairUsage } from './repair/usage.ts';

/**
 * Reads an answer as a completion. Throws ProviderError. `keepsFunctionCall` leaves calls in the older form,
 * `function_call`, as they are, for a caller who asked for it.
 */
export function readCompletion(answer: Fields, note: NoteRepair, keepsFunctionCall = false): ChatCompletion {
  const { choices } = answer;
  if (!Array.isArray(choices) || choices.length === 0) throw malformedAnswer('no choices');
  const isAnswer = (choices as unknown[]).map((choice, position) =>
    readChoice(choice, position, note, keepsFunctionCall),
  );
  if (!isAnswer.includes(true)) throw malformedAnswer('no content');
  checkCommon(answer, note);
  return answer as ChatCompletion;
}

/**
 * Reads a choice of a whole answer, and returns whether it has content or may lack it. Each choice gets its place,
 * because some servers number all of them 0.
 */
function readChoice(
  choice: unknown,
  position: number,
  note: NoteRepair,
  keepsFunctionCall: boolean,
): boolean {
  if (!isFields(choice)) throw malformedAnswer('a choice that is no object');
  const message = messageOf(choice, 'message', 'delta', note);
  if (message === undefined) throw malformedAnswer('a choice without a message');
  choice['index'] = position;
  choice['finish_reason'] ??= null;
  if (!keepsFunctionCall) repairFunctionCall(message, note);
  normalizeChoice(choice, message, note);
  message['role'] ??= 'assistant';
  const { tool_calls: calls } = message;
  if (Array.isArray(calls) && calls.length > 0) {
    repairCalls(calls as Fields[], note);
    if (!endsWithCalls(choice['finish_reason'] as string | null)) {
      nameCalls(choice);
      note('finish_reason');
    }
  }
  const reason = choice['finish_reason'] as string | null;
  if (hasContent(message)) {
    if (reason !== null) return true;
    choice['finish_reason'] = 'stop';
    note('finish_reason');
    return true;
  }
  if (reason === null) throw malformedAnswer('a message without content');
  return mayBeEmpty(reason, typeof message['content'] === 'string');
}

/** Reads a stream's event as a chunk, as `readCompletion` reads an answer. Throws ProviderError. */
export function readChunk(chunk: Fields, note: NoteRepair, keepsFunctionCall = false): ChatChunk {
  // A chunk with usage only has no choices.
  const choices = (chunk['choices'] ??= []);
  if (!Array.isArray(choices)) throw malformedAnswer('choices that are no list');
  for (const choice of choices) {
    if (!isFields(choice)) throw malformedAnswer('a choice that is no object');
    choice['index'] = indexOf(choice['index']);
    const delta = messageOf(choice, 'delta', 'message', note) ?? {};
    choice['delta'] = delta;
    if (!keepsFunctionCall) repairFunctionCall(delta, note);
    normalizeChoice(choice, delta, note);
  }
  checkCommon(chunk, note);
  return chunk as ChatChunk;
}

/**
 * Returns the message of a choice under its own name, or under the other one, which some servers use for it. The
 * `text` of a completion becomes the content that a message lacks.
 */
function messageOf(choice: Fields, name: string, other: string, note: NoteRepair): Fields | undefined {
  const { [name]: own = null, [other]: alternative, text } = choice;
  if (alternative !== undefined) delete choice[other];
  if (own !== null && !isFields(own)) throw malformedAnswer(`a ${name} that is no object`);
  let message = own ?? undefined;
  if (message === undefined && isFields(alternative)) {
    note('content');
    message = alternative;
  }
  if (typeof text === 'string') message = withText(message, text, note);
  if (text !== undefined) delete choice['text'];
  if (message !== own) choice[name] = message;
  return message;
}

function withText(message: Fields | undefined, text: string, note: NoteRepair): Fields {
  const { content = null } = message ?? {};
  if (message !== undefined && (content !== null || text === '')) return message;
  note('content');
  return { ...message, content: text };
}

function indexOf(index: unknown): number {
  const place = typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : index;
  return typeof place === 'number' && Number.isInteger(place) && place >= 0 ? place : 0;
}

/** Normalizes a choice and its message or delta. A text that states no finish reason becomes null. */
function normalizeChoice(choice: Fields, message: Fields, note: NoteRepair): void {
  const { finish_reason: reason } = choice;
  if (reason !== undefined) choice['finish_reason'] = statedReason(reason);
  repairMessage(message, note);
  if (message['tool_calls'] !== undefined) normalizeCalls(message, note);
}

/** Makes the tool calls a list of objects. Some servers send one call without a list, or nulls in it. */
function normalizeCalls(message: Fields, note: NoteRepair): void {
  const { tool_calls: calls } = message;
  if (isFields(calls) || (Array.isArray(calls) && calls.includes(null))) {
    message['tool_calls'] = [calls].flat().filter((call) => call !== null);
    note('tool_calls');
  } else if (!Array.isArray(calls)) delete message['tool_calls'];
  const { tool_calls: list = [] } = message;
  if (!(list as unknown[]).every(isFields)) throw malformedAnswer('a tool call that is no object');
}

function checkCommon(body: Fields, note: NoteRepair): void {
  // Azure's first event of a stream reports on the prompt and has an empty id.
  if (body['id'] !== undefined && (typeof body['id'] !== 'string' || body['id'] === '')) delete body['id'];
  if (body['created'] !== undefined && !Number.isInteger(body['created'])) delete body['created'];
  if (body['service_tier'] !== undefined && typeof body['service_tier'] !== 'string')
    delete body['service_tier'];
  repairUsage(body, note);
}
