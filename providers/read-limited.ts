import type { Readable } from 'node:stream';
import { CollectedBytes } from '../platform/collected-bytes.ts';
import { OutboundResponseTooLargeError } from '../platform/outbound-error.ts';
import { withoutMark } from './byte-order-mark.ts';

/**
 * Reads a body as text, at most `maxBytes` of it. A longer one is cut, or rejected with OutboundResponseTooLargeError.
 * The rest is not read, and the connection is closed.
 */
export async function readLimited(
  body: Readable,
  maxBytes: number,
  whenLonger: 'cut' | 'refuse',
): Promise<string> {
  const read = new CollectedBytes();
  for await (const chunk of body as AsyncIterable<Buffer>) {
    read.add(chunk);
    if (read.length <= maxBytes) continue;
    if (whenLonger === 'refuse') throw new OutboundResponseTooLargeError(maxBytes);
    break;
  }
  return withoutMark(read.whole().subarray(0, maxBytes)).toString('utf8');
}
