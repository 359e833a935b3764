/** Limits the size and duration of bodies that outbound requests receive. */
import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import type { Deadline } from './outbound-deadline.ts';
import { OutboundResponseTooLargeError, toOutboundError } from './outbound-error.ts';

/**
 * Returns the answer's body for callers. It fails with the guard's own errors, and limits the bytes independently of
 * Content-Length. The deadline runs until the body ended, failed or was destroyed.
 */
export function guardBody(source: Readable, maxBytes: number, deadline: Deadline): Readable {
  let bytes = 0;
  const guarded = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      bytes += chunk.length;
      if (bytes > maxBytes) callback(new OutboundResponseTooLargeError(maxBytes));
      else callback(null, chunk);
    },
  });
  source.on('error', (error) => {
    guarded.destroy(
      deadline.signal.aborted ? deadline.signal.reason : toOutboundError(error, { sent: true }),
    );
  });
  guarded.once('close', () => {
    source.destroy();
    deadline.clear();
  });
  // A caller that needs only the status may drop the body: its later failure must not end the process.
  guarded.on('error', () => undefined);
  return source.pipe(guarded);
}

/** Returns the first `maxBytes` of a body as text, without an incomplete last character. The rest is not read. */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    left -= chunk.length;
    if (left <= 0) return text;
  }
  return text + decoder.decode();
}

/**
 * Returns the first `maxBytes` of a body, and does not read the rest. A body that breaks off or never ends is no error:
 * the part that arrived is enough where the status decides.
 */
export async function readBeginning(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // The connection was lost, or the time was up.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
