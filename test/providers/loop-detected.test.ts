import { expect, test } from '@jest/globals';
import { isCertainRefusal } from '../../domain/provider-error.ts';
import { inBandError, vendorError } from '../../providers/vendor-error.ts';

const common = { message: 'Loop detected', metadata: { reason: 'loop_detected' } };
const error = { code: 508, ...common };

test.each([
  ['a status', vendorError({ status: 508, headers: {}, text: JSON.stringify({ error }) }, [])],
  ['a status with another body', vendorError({ status: 508, headers: {}, text: 'Loop Detected' }, [])],
  ['an event of a chat', inBandError({ error }, [])],
  ['an event of a message', inBandError({ error: { type: 'api_error', ...common } }, [])],
  ['an event of a response', inBandError({ error: { code: 'server_error', ...common } }, [])],
])('508 as %s becomes loop_detected, certainly refused and not retryable', (_how, failure) => {
  expect(failure).toMatchObject({ code: 'loop_detected', retryable: false });
  expect(isCertainRefusal(failure)).toBe(true);
});
