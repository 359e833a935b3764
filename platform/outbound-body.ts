import type { Readable } from 'node:stream';
import { Transform } from 'node:stream';
import type { Deadline } from './outbound-deadline.ts';
import { OutboundResponseTooLargeError, toOutboundError } from './outbound-error.ts';

/**
 * The answer's body as callers see it: errors are the guard's own, and the byte limit holds whatever
 * Content-Length says. The deadline's clock runs until the body ended, failed or was destroyed.
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
  // A caller that only wanted the status may drop the body: its later failure must not end the process.
  guarded.on('error', () => undefined);
  return source.pipe(guarded);
}

/** The first `maxBytes` of a body as text, a cut character left out. The rest is not read: the body ends here. */
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
