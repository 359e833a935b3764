import { expect, test } from '@jest/globals';
import type { OperationDefinition } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';

const spending = (Object.values(operations) as OperationDefinition[]).filter(
  ({ access, errors }) => access === 'generation' && (errors ?? []).includes(402),
);

test('every operation that may spend counts against the rate limit of generation requests', () => {
  expect(spending.map(({ id }) => id)).toContain('createChatCompletion');
  expect(spending.filter(({ rateLimit }) => rateLimit !== 'generation')).toEqual([]);
});
