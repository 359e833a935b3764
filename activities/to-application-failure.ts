import { log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, TemporalFailure } from '@temporalio/common';
import { ProviderError } from '../domain/provider-error.ts';

/**
 * Returns a failure that Temporal retries after `delayMs`, or after the activity's own interval. Polling by retries
 * adds no events to the history, and the UI shows `message` as the last failure of the pending activity. The failure
 * is benign, so the SDK neither logs nor counts it as an error.
 */
export function notYet(message: string, delayMs?: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    message,
    type: 'NotYet',
    category: ApplicationFailureCategory.BENIGN,
    ...(delayMs === undefined ? {} : { nextRetryDelay: Math.max(delayMs, 1) }),
  });
  // It goes into history, where a stack of ours helps nobody.
  failure.stack = '';
  return failure;
}

type Activity = (...args: never[]) => Promise<unknown>;

/**
 * Wraps activities so that their errors enter the history without causes. A vendor's message may repeat the prompt,
 * and an address does not belong in a history. The log gets the whole error.
 */
export function withPlainFailures<A extends Record<string, Activity>>(activities: A): A {
  const wrapped = Object.entries(activities).map(([name, run]): [string, Activity] => [
    name,
    async (...args) => {
      try {
        return await run(...args);
      } catch (error) {
        throw toApplicationFailure(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as A;
}

function toApplicationFailure(error: unknown): unknown {
  if (error instanceof TemporalFailure || !(error instanceof Error)) return error;
  // Temporal knows a cancelled activity by it.
  if (error.name === 'AbortError') return error;
  log.warn('why the activity failed', { error });
  const message = error instanceof ProviderError ? error.brief : error.message;
  return ApplicationFailure.create({ message, type: error.name });
}
