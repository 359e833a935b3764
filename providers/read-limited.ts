import type { Readable } from 'node:stream';
import { OutboundResponseTooLargeError } from '../platform/outbound-error.ts';

/**
 * Reads a body as text, at most `maxBytes` of it. A longer one is cut, or rejected with OutboundResponseTooLargeError.
 * The rest is not read, and the connection is closed.
 */
export async function readLimited(
  body: Readable,
  maxBytes: number,
  whenLonger: 'cut' | 'refuse',
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maxBytes) continue;
    if (whenLonger === 'refuse') throw new OutboundResponseTooLargeError(maxBytes);
    break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}
