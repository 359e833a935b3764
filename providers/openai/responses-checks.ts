import type { ProviderError } from '../../domain/provider-error.ts';
import type { DialectEvent, DialectObject } from '../dialect-adapter.ts';
import { FailedAnswerError } from '../failed-answer.ts';
import { isObject, misshapen, objectOf } from '../answer-checks.ts';
import { inBandError } from '../vendor-error.ts';

/** More tokens than any context holds: not a count. */
const MAX_TOKENS = 2 ** 31 - 1;

/*
 * By hand and in place, as in `openai-compatible/chat-checks.ts`: only what the gateway itself relies on is looked at.
 */

/** An answer's JSON as a response. Throws ProviderError, also for one that says that it failed. */
export function readResponse(value: unknown, secret: string | undefined): DialectObject {
  const response = objectOf(value);
  const error = failureIn(response, secret);
  if (error !== undefined) throw error;
  checkResponse(response);
  return response;
}

/** The JSON of a stream's event. Throws ProviderError; for one that says that it failed, with what was counted for it. */
export function readEvent(value: unknown, secret: string | undefined): DialectEvent {
  const event = objectOf(value);
  const { type, response } = event;
  if (typeof type !== 'string') throw eventFailure(event, secret) ?? misshapen('an event without a type');
  if (type === 'error') throw inBandError(event, [secret]);
  if (response === undefined) return event as DialectEvent;
  if (!isObject(response)) throw misshapen('a response that is no object');
  const error = failureIn(response, secret);
  if (error !== undefined) throw new FailedAnswerError(error, factsOf(response));
  checkResponse(response);
  return event as DialectEvent;
}

/** `{ error: … }` in place of an answer, or `status: "failed"` with what was wrong. */
function failureIn(response: DialectObject, secret: string | undefined): ProviderError | undefined {
  const { error, status } = response;
  if (isObject(error)) return inBandError({ error }, [secret]);
  const hasFailed = status === 'failed' || status === 'cancelled';
  return hasFailed ? inBandError({ error: { message: `the response is ${status}` } }, [secret]) : undefined;
}

function eventFailure(event: DialectObject, secret: string | undefined): ProviderError | undefined {
  return isObject(event['error']) ? inBandError(event, [secret]) : undefined;
}

function checkResponse(response: DialectObject): void {
  const { output } = response;
  if (!Array.isArray(output) || !output.every(isObject))
    throw misshapen('an output that is no list of items');
  checkFacts(response);
}

function factsOf({ id, usage, service_tier }: DialectObject): DialectObject {
  const facts: DialectObject = { id, usage, service_tier };
  checkFacts(facts);
  return facts;
}

function checkFacts(response: DialectObject): void {
  if (typeof response['id'] !== 'string') delete response['id'];
  if (typeof response['service_tier'] !== 'string') response['service_tier'] = null;
  // What counts money must be a count: a usage that is none is as good as absent.
  if (!isUsage(response['usage'])) response['usage'] = null;
}

function isUsage(value: unknown): boolean {
  return (
    isObject(value) &&
    isCount(value['input_tokens']) &&
    isCount(value['output_tokens']) &&
    isDetails(value['input_tokens_details']) &&
    isDetails(value['output_tokens_details'])
  );
}

function isDetails(value: unknown): boolean {
  return value === undefined || value === null || isObject(value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
