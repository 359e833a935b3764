/** Counts and hashes the bytes of a body that passes through, and enforces a limit. */
import { createHash } from 'node:crypto';
import { ObjectTooLargeError } from './object-store.ts';

export interface ByteMeter {
  /** Passes a body through and counts it. Throws ObjectTooLargeError at the first byte over the limit. */
  measure(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer>;
  /** Valid after the whole body has passed. */
  result(): { bytes: number; sha256: string };
}

export function createByteMeter(maxBytes = Infinity): ByteMeter {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *measure(body) {
      for await (const piece of body) {
        const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
        bytes += chunk.length;
        if (bytes > maxBytes) throw new ObjectTooLargeError(maxBytes);
        hash.update(chunk);
        yield chunk;
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}
