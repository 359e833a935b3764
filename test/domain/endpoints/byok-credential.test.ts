import { describe, expect, test } from '@jest/globals';
import { labelOf } from '../../../domain/endpoints/byok-credential.ts';

describe('the label of a secret', () => {
  test('shows its first and last four characters', () => {
    expect(labelOf('sk-first-0123456789-last')).toBe('sk-f...last');
    expect(labelOf('0123456789abcdef')).toBe('0123...cdef');
  });

  test.each(['', 'short', '0123456789abcde'])('shows nothing of %j, which has fewer than 16', (secret) => {
    expect(labelOf(secret)).toBe('****');
  });
});
