import { createHash } from 'node:crypto';
import { ObjectTooLargeError } from './object-store.ts';

export interface ByteMeter {
  /** Passes a body through, counting; throws ObjectTooLargeError at the first byte too many. */
  measure(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer>;
  /** Valid once the body is through. */
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
