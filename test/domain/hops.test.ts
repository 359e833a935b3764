import { describe, expect, test } from '@jest/globals';
import { passOnHops } from '../../domain/hops.ts';

const MARKS = ['own', 'own-before'] as const;
const LOOP = expect.objectContaining({ code: 'loop_detected' });

describe('the hops of a request', () => {
  test.each([
    [undefined, 'own'],
    ['', 'own'],
    ['other', 'other, own'],
    ['own', 'own, own'],
    ['own,other ,  own', 'own, other, own, own'],
    ['own-before, own', 'own-before, own, own'],
    ['b a d, "quoted", o;q=1, fine', 'fine, own'],
  ])('passes %j on as %j', (received, sent) => {
    expect(passOnHops(received, MARKS)).toBe(sent);
  });

  test.each(['own, own, own', 'own,own-before,own', 'own, a, own, b, own, c'])(
    'refuses %s with loop_detected',
    (received) => {
      expect(() => passOnHops(received, MARKS)).toThrow(LOOP);
    },
  );

  test('passes on only the last 32 received marks', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `mark-${n}`).join(',');
    const sent = passOnHops(many, MARKS).split(', ');
    expect([sent.length, sent[0], sent.at(-2), sent.at(-1)]).toEqual([33, 'mark-968', 'mark-999', 'own']);
  });
});
