import { log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, TemporalFailure } from '@temporalio/common';
import { ProviderError } from '../domain/provider-error.ts';

/**
 * "Not yet" as a failure that Temporal retries after `delayMs`, or after the activity's own interval: polling
 * then costs no history, and the UI shows `word` as the pending activity's last failure. Benign, so that logs
 * and metrics stay quiet.
 */
export function notYet(word: string, delayMs?: number): ApplicationFailure {
  const failure = ApplicationFailure.create({
    message: word,
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
 * The same activities, whose errors lie in history without their causes: a vendor's own words may repeat the
 * prompt, and addresses are nobody's business there. The log gets everything.
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
