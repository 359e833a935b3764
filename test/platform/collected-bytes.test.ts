import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CollectedBytes, withoutRest } from '../../platform/collected-bytes.ts';

describe('collected bytes', () => {
  test('keep the chunks in order, at any sizes', () => {
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.uint8Array({ minLength: 20_000, maxLength: 40_000 }),
    );
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 8 }), fc.nat(8), (chunks, cut) => {
        const whole = Buffer.concat(chunks);
        // Parts of one larger buffer, as sockets read them.
        const parts = [whole.subarray(0, cut), ...chunks.map((one) => Buffer.from(one)), whole.subarray(cut)];
        const collected = new CollectedBytes();
        for (const part of parts) collected.add(part);
        const expected = Buffer.concat(parts);
        expect(collected.length).toBe(expected.length);
        expect(collected.whole().equals(expected)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('copy a small part instead of keeping its large buffer', () => {
    const read = Buffer.allocUnsafeSlow(64 * 1024);
    const part = read.subarray(10, 11);
    expect(withoutRest(part).buffer).not.toBe(part.buffer);
    expect(withoutRest(part)).toEqual(part);
    expect(withoutRest(read)).toBe(read);
  });

  test('have length 0 without chunks', () => {
    expect(new CollectedBytes().whole()).toHaveLength(0);
  });
});
