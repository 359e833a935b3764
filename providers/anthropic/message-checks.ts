/**
 * Checks answers and events without a schema, because a schema would copy each of them. Only the fields that the
 * gateway uses are checked and repaired; the others pass unchanged.
 */
import { type Fields, isFields } from '../../domain/fields.ts';
import type { ProviderError } from '../../domain/provider-error.ts';
import { countsFromText, isCount } from '../counts.ts';
import type { DialectEvent, DialectObject } from '../dialect-adapter.ts';
import { errorIn, malformedAnswer, objectOf } from '../answer-checks.ts';
import type { NoteRepair } from '../repairs.ts';
import { inBandError } from '../vendor-error.ts';
import { MessageRepair } from './message-repair.ts';

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** Reads an answer's JSON as a message. Throws ProviderError. */
export function readMessage(value: unknown, secrets: readonly string[], note: NoteRepair): DialectObject {
  const answer = objectOf(value);
  throwIfError(answer, secrets);
  const { content } = answer;
  if (!Array.isArray(content) || !content.every(isBlock)) throw malformedAnswer('no list of blocks');
  normalizeStopReason(answer);
  const repair = new MessageRepair(note);
  for (const block of content as Fields[]) repair.addBlock(block);
  repair.addReason(answer);
  answer['stop_reason'] = repair.missingReason() ?? answer['stop_reason'];
  checkUsage(answer, note);
  return answer;
}

/** Reads the JSON of a stream's event. Throws ProviderError, also for an error event. */
export function readEvent(
  value: unknown,
  secrets: readonly string[],
  repair: MessageRepair,
  note: NoteRepair,
): DialectEvent {
  const event = objectOf(value);
  throwIfError(event, secrets);
  const { type } = event;
  if (typeof type !== 'string') throw malformedAnswer('an event without a type');
  if (type === 'message_start') checkUsage(fieldIn(event, 'message'), note);
  else if (type === 'content_block_start') repair.addBlock(fieldIn(event, 'content_block'));
  else if (type === 'content_block_delta') repair.addPiece(fieldIn(event, 'delta'));
  else if (type === 'message_delta') {
    const delta = fieldIn(event, 'delta');
    normalizeStopReason(delta);
    repair.addReason(delta);
    checkUsage(event, note);
  }
  return event as DialectEvent;
}

/** Returns the error that an answer or event holds. */
export function errorOf(body: Fields, secrets: readonly string[]): ProviderError | undefined {
  return body['type'] === 'error' ? inBandError(body, secrets) : errorIn(body, secrets);
}

function throwIfError(body: Fields, secrets: readonly string[]): void {
  const error = errorOf(body, secrets);
  if (error !== undefined) throw error;
}

function fieldIn(event: Fields, name: string): Fields {
  const field = event[name];
  if (isFields(field)) return field;
  throw malformedAnswer(`a ${String(event['type'])} without its ${name}`);
}

function normalizeStopReason(holder: Fields): void {
  const { stop_reason: reason } = holder;
  if (typeof reason !== 'string' || reason === '' || reason === 'null') holder['stop_reason'] = null;
}

/** Makes the counts of a usage numbers. Removes a usage with invalid counts, because the bill depends on them. */
function checkUsage(holder: Fields, note: NoteRepair): void {
  const { usage } = holder;
  if (usage === undefined) return;
  countsFromText(usage, note);
  if (!isFields(usage) || !COUNTS.every((name) => isCountOrAbsent(usage[name]))) delete holder['usage'];
}

function isCountOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || isCount(value);
}

function isBlock(value: unknown): boolean {
  return isFields(value) && typeof value['type'] === 'string';
}
