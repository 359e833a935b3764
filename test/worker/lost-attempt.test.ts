import { describe, expect, test } from '@jest/globals';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TimeoutFailure,
  type TimeoutType,
} from '@temporalio/common';
import { isLostAttempt } from '../../workflows/lost-attempt.ts';

const failed = (cause: Error): ActivityFailure =>
  new ActivityFailure('failed', 'checkPrivateEndpoint', '1', 'MAXIMUM_ATTEMPTS_REACHED', undefined, cause);

describe('an attempt at an activity', () => {
  test.each<[TimeoutType, boolean]>([
    ['HEARTBEAT', true],
    ['START_TO_CLOSE', true],
    ['SCHEDULE_TO_START', false],
    ['SCHEDULE_TO_CLOSE', false],
  ])('counts as lost after the timeout %s: %p', (type, isLost) => {
    expect(isLostAttempt(failed(new TimeoutFailure(undefined, undefined, type)))).toBe(isLost);
  });

  test('does not count as lost after a failure or a cancellation', () => {
    expect(isLostAttempt(failed(ApplicationFailure.create({ message: 'a failure' })))).toBe(false);
    expect(isLostAttempt(failed(new CancelledFailure('cancelled')))).toBe(false);
    expect(isLostAttempt(new TimeoutFailure(undefined, undefined, 'HEARTBEAT'))).toBe(false);
  });
});
