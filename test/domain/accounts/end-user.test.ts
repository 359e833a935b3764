import { expect, test } from '@jest/globals';
import { trackingStringOf } from '../../../domain/accounts/end-user.ts';

test.each([
  ['customer-1', 'customer-1'],
  ['a b', 'a b'],
  ['\u{feff}a', '\u{feff}a'],
  [' a', null],
  ['a\n', null],
  ['\u{85}a', null],
  ['a\u{3000}', null],
  ['', null],
  [null, null],
  [undefined, null],
])('the tracking string of the user %j is %j', (user, tracking) => {
  expect(trackingStringOf(user)).toBe(tracking);
});
