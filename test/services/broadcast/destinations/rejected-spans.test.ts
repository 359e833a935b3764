import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rejectedSpans } from '../../../../services/broadcast/destinations/rejected-spans.ts';
import { partialSuccess } from './small-encoder.ts';

const PROTOBUF = { 'content-type': 'application/x-protobuf' };

test('rejectedSpans reads a protobuf count of any size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (count) => {
      expect(rejectedSpans({ status: 200, headers: PROTOBUF, body: partialSuccess(count) })).toBe(count);
    }),
  );
});

test('rejectedSpans returns a non-negative integer for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isJson) => {
      const headers = isJson ? { 'content-type': 'application/json' } : PROTOBUF;
      const count = rejectedSpans({ status: 200, headers, body: Buffer.from(bytes) });
      expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
    }),
  );
});
