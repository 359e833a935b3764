import { expect, test } from '@jest/globals';
import { errorTable } from '../../contract/errors.ts';

const rows = Object.values(errorTable).map(({ status, message }) => [status, message]);

/** Lists the errors of the specification, and the errors that Sluice adds. */
test.each([
  [400, 'Invalid request parameters'],
  [401, 'Missing Authentication header'],
  [403, 'Only management keys can perform this operation'],
  [403, 'Management keys cannot call generation endpoints'],
  [404, 'Resource not found'],
  [405, 'Method not allowed'],
  [408, 'Operation timed out. Please try again later.'],
  [409, 'Resource conflict. Please try again later.'],
  [410, 'Resource is no longer available'],
  [413, 'Request payload too large'],
  [415, 'Unsupported media type: send the header Content-Type: application/json'],
  [416, 'Range not satisfiable'],
  [422, 'Invalid argument'],
  [422, 'Idempotency key was used with a different request'],
  [429, 'Rate limit exceeded'],
  [431, 'Request header fields too large'],
  [499, 'The request was cancelled.'],
  [500, 'Internal Server Error'],
  [502, 'Provider returned error'],
  [503, 'Service temporarily unavailable'],
  [524, 'Request timed out. Please try again later.'],
  [529, 'Provider returned error'],
])('the error table has %i with the message "%s"', (status, message) => {
  expect(rows).toContainEqual([status, message]);
});
