import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { describeIssue, issuesOf } from '../../contract/issues.ts';
import { operations } from '../../contract/operations.ts';

const { listKeys, createKey } = operations;

test.each<[string, z.ZodType, object, string]>([
  ['offset', listKeys.query, { offset: '-1' }, 'must be at least 0'],
  ['offset', listKeys.query, { offset: '1.5' }, 'must be a whole number'],
  ['workspace_id', listKeys.query, { workspace_id: 'default' }, 'must be a UUID'],
  ['workspace_id', createKey.body.schema, { name: 'a', workspace_id: '1' }, 'must be a UUID'],
  [
    'expires_at',
    createKey.body.schema,
    { name: 'a', expires_at: 'tomorrow' },
    'must be a date and time such as 2026-01-31T00:00:00Z',
  ],
  [
    'limit_reset',
    createKey.body.schema,
    { name: 'a', limit_reset: 'hourly' },
    'must be one of daily, weekly, monthly, or null',
  ],
])('a wrong %s is refused with the rule that it breaks', (field, schema, value, rule) => {
  const { error } = schema.safeParse(value, { error: describeIssue });
  expect(issuesOf('part', error!)).toEqual([{ path: `part.${field}`, message: rule }]);
});

test('an offset of -0 reads as 0', () => {
  expect(listKeys.query.parse({ offset: '-0' })).toMatchObject({ offset: 0 });
});
