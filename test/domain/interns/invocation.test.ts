import { expect, test } from '@jest/globals';
import { invocationText, isInvocationUser } from '../../../domain/interns/invocation.ts';

test('the signed text has the version, intern, second, user and body hash, one per line', () => {
  const text = invocationText({
    internId: '6f0c8b9e-51ce-4a0a-9a55-1f4c2a6a3a52',
    timestamp: 1_790_000_000,
    user: 'user|alice@example.com',
    bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  });
  expect(text).toBe(
    'svc-invoke-v1\n' +
      '6f0c8b9e-51ce-4a0a-9a55-1f4c2a6a3a52\n' +
      '1790000000\n' +
      'user|alice@example.com\n' +
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});

test.each([
  ['a', true],
  ['!user~', true],
  ['a'.repeat(255), true],
  ['', false],
  ['a'.repeat(256), false],
  ['alice smith', false],
  ['alice\n', false],
  ['alice\u007f', false],
  ['älice', false],
])('a proof may name the user %j: %s', (text, expected) => {
  expect(isInvocationUser(text)).toBe(expected);
});
