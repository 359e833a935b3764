/** Tells a lost attempt at an activity from one that never began. */
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';

/** Returns whether a worker had begun the activity and was then silent, or did not end in time. */
export function isLostAttempt(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(cause instanceof TimeoutFailure)) return false;
  return cause.timeoutType === 'HEARTBEAT' || cause.timeoutType === 'START_TO_CLOSE';
}
