import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GrowingText } from '../../platform/growing-text.ts';

test('a growing text equals its pieces in order at any time', () => {
  const batches = fc.array(fc.array(fc.string({ maxLength: 3 }), { maxLength: 300 }), { maxLength: 4 });
  fc.assert(
    fc.property(batches, (added) => {
      const text = new GrowingText();
      let expected = '';
      for (const batch of added) {
        for (const piece of batch) text.add(piece);
        expected += batch.join('');
        expect(text.toString()).toBe(expected);
      }
    }),
  );
});
