import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newGenerationId } from '../../domain/ids.ts';
import { isSampled } from '../../domain/sampling.ts';

const ids = Array.from({ length: 20_000 }, (_, i) => newGenerationId(1_767_225_600_000 + i));
const taken = (purpose: string, rate: number): string[] => ids.filter((id) => isSampled(purpose, id, rate));

describe('isSampled', () => {
  test('keeps at a higher rate every id that a lower rate takes', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.string(), rate, rate, (id, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        return !isSampled('test', id, low) || isSampled('test', id, high);
      }),
    );
  });

  test.each([0.0001, 0.01, 0.1, 0.5, 0.9])('takes at rate %d about that share of the ids', (rate) => {
    const expected = rate * ids.length;
    // Five standard deviations: once in two million runs.
    const slack = 5 * Math.sqrt(expected * (1 - rate)) + 1;
    expect(Math.abs(taken('test', rate).length - expected)).toBeLessThan(slack);
  });

  test('takes the same ids every time, all at rate 1 and none at 0', () => {
    expect(taken('test', 0.1)).toEqual(taken('test', 0.1));
    expect(taken('test', 1)).toEqual(ids);
    expect(taken('test', 0)).toEqual([]);
    // Fixed for ever: what was sampled before an upgrade is sampled after it.
    const known = Array.from({ length: 40 }, (_, i) => `gen-${i}`).filter((id) => isSampled('test', id, 0.1));
    expect(known).toEqual(['gen-3', 'gen-4', 'gen-5', 'gen-12', 'gen-28', 'gen-32']);
  });

  test('samples independently for different purposes', () => {
    const both = taken('one', 0.5).filter((id) => isSampled('another', id, 0.5)).length;
    expect(both / ids.length).toBeCloseTo(0.25, 1);
  });
});
