import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * "Not yet" as a failure that Temporal retries after `delayMs`: polling then costs no history, and the UI
 * shows `word` as the pending activity's last failure. Benign, so that logs and metrics stay quiet.
 */
export function notYet(word: string, delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    message: word,
    type: 'NotYet',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: Math.max(delayMs, 1),
  });
}
