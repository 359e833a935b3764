/** Converts errors of activities to failures that Temporal retries, shows and stores. */
import { log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, TemporalFailure } from '@temporalio/common';
import { ProviderError } from '../domain/provider-error.ts';
import { type Activities, wrapActivities } from './wrap-activities.ts';

/**
 * Returns a failure that Temporal retries after `delayMs`, or after the activity's own interval. Polling by retries
 * adds no events to the history, and the UI shows `message` as the last failure of the pending activity. The failure
 * is benign, so the SDK neither logs nor counts it as an error.
 */
export function retryLaterFailure(message: string, delayMs?: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    message,
    type: 'NotYet',
    category: ApplicationFailureCategory.BENIGN,
    ...(delayMs === undefined ? {} : { nextRetryDelay: Math.max(delayMs, 1) }),
  });
  // The failure enters the history, where a stack is of no use.
  failure.stack = '';
  return failure;
}

/**
 * Wraps activities so that only the brief message of an error enters the history. A vendor's message may repeat the
 * prompt, and a cause may contain addresses. The log gets the whole error.
 */
export function withPlainFailures<A extends Activities>(activities: A): A {
  return wrapActivities(activities, async (run) => {
    try {
      return await run();
    } catch (error) {
      throw toApplicationFailure(error);
    }
  });
}

function toApplicationFailure(error: unknown): unknown {
  if (error instanceof TemporalFailure || !(error instanceof Error)) return error;
  // Temporal recognizes a cancelled activity by this error.
  if (error.name === 'AbortError') return error;
  log.warn('why the activity failed', { error });
  const message = error instanceof ProviderError ? error.brief : error.message;
  return ApplicationFailure.create({ message, type: error.name });
}
