import { describe, expect, test } from '@jest/globals';
import { endOfSecret, looksMasked, maskSecret } from '../../domain/masked-secret.ts';

describe('a masked secret', () => {
  test.each([
    ['sk-first-0123456789-last', 'sk-f...last', 'last'],
    ['abcd-0123456789-wxyz', 'abcd...wxyz', 'wxyz'],
    ['abcd-012345678-wxyz', '...', '...'],
    ['short', '...', '...'],
    ['', '...', '...'],
  ])('shortens %j to %j, with the end %j', (secret, mask, end) => {
    expect(maskSecret(secret)).toBe(mask);
    expect(looksMasked(mask)).toBe(true);
    expect(endOfSecret(secret)).toBe(end);
  });

  test.each(['abcd-0123-wxyz', 'abcd...', '....', 'ab...wxyz', 'abcd...wxyz1'])(
    'never looks like %j',
    (text) => {
      expect(looksMasked(text)).toBe(false);
    },
  );
});
