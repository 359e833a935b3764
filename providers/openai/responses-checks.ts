/**
 * Checks answers and events without a schema, because a schema would copy each of them. Only the fields that the
 * gateway uses are checked; the others pass unchanged.
 */
import { isFields } from '../../domain/fields.ts';
import type { ProviderError } from '../../domain/provider-error.ts';
import type { DialectEvent, DialectObject } from '../dialect-adapter.ts';
import { countsFromText, isCount, isDetails } from '../counts.ts';
import { FailedAnswerError } from '../failed-answer.ts';
import { errorIn, malformedAnswer, objectOf } from '../answer-checks.ts';
import type { NoteRepair } from '../repairs.ts';
import { inBandError } from '../vendor-error.ts';

/** The events with the complete response, which end a stream. */
export const LAST_EVENTS = new Set(['response.completed', 'response.incomplete']);

/** Reads an answer's JSON as a response. Throws ProviderError, also for a failed response. */
export function readResponse(value: unknown, secrets: readonly string[], note: NoteRepair): DialectObject {
  const response = objectOf(value);
  const error = failureIn(response, secrets);
  if (error !== undefined) throw error;
  checkResponse(response, note);
  return response;
}

/** Reads the JSON of a stream's event. Throws ProviderError; for a failed response it includes the counted usage. */
export function readEvent(value: unknown, secrets: readonly string[], note: NoteRepair): DialectEvent {
  const event = objectOf(value);
  const { type, response } = event;
  if (typeof type !== 'string') throw errorIn(event, secrets) ?? malformedAnswer('an event without a type');
  if (type === 'error') throw inBandError(event, secrets);
  if (response === undefined) return event as DialectEvent;
  if (!isFields(response)) throw malformedAnswer('a response that is no object');
  const error = failureIn(response, secrets);
  if (error !== undefined) throw new FailedAnswerError(error, factsOf(response, note));
  // The first events repeat the response, whose output is still empty.
  if (!LAST_EVENTS.has(type) && !isOutput(response['output'])) response['output'] = [];
  checkResponse(response, note);
  return event as DialectEvent;
}

/** Returns the failure of an answer: an error that it states, or `status: "failed"`. */
function failureIn(response: DialectObject, secrets: readonly string[]): ProviderError | undefined {
  const { status, error, err, error_code, error_msg, error_message, base_resp, output } = response;
  const stated = errorIn({ error, err, error_code, error_msg, error_message, base_resp, output }, secrets);
  if (stated !== undefined) return stated;
  const hasFailed = status === 'failed' || status === 'cancelled';
  return hasFailed ? inBandError({ error: { message: `the response is ${status}` } }, secrets) : undefined;
}

function checkResponse(response: DialectObject, note: NoteRepair): void {
  if (!isOutput(response['output'])) throw malformedAnswer('an output that is no list of items');
  checkFacts(response, note);
}

function isOutput(output: unknown): boolean {
  return Array.isArray(output) && output.every(isFields);
}

function factsOf({ id, usage, service_tier }: DialectObject, note: NoteRepair): DialectObject {
  const facts: DialectObject = { id, usage, service_tier };
  checkFacts(facts, note);
  return facts;
}

function checkFacts(response: DialectObject, note: NoteRepair): void {
  if (typeof response['id'] !== 'string') delete response['id'];
  if (typeof response['service_tier'] !== 'string') response['service_tier'] = null;
  countsFromText(response['usage'], note);
  // A usage with invalid counts is removed, because the bill depends on them.
  if (!isUsage(response['usage'])) response['usage'] = null;
}

function isUsage(value: unknown): boolean {
  return (
    isFields(value) &&
    isCount(value['input_tokens']) &&
    isCount(value['output_tokens']) &&
    isDetails(value['input_tokens_details']) &&
    isDetails(value['output_tokens_details'])
  );
}
