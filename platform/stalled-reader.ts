/** Waits until a client has read its data, and disconnects clients that stop reading. */
import type { Writable } from 'node:stream';
import { cutOff } from './cut-off.ts';

/**
 * The time without progress after which a reader is cut off, so that it does not block its writer. Progress is hard to
 * see: the kernel buffers megabytes and asks for more only after a third of that was read. A phone on a slow line,
 * which gets a picture at 10 KB a second, may therefore seem stalled for minutes.
 */
export const STALLED_AFTER_MS = 300_000;
const CHECKS = 5;

/**
 * Resolves when the reader needs more data, has received everything after its end, or has closed. A reader without
 * progress for `stalledAfterMs` is destroyed. Call it only while data waits to be read.
 */
export function untilTaken(reader: Writable, stalledAfterMs = STALLED_AFTER_MS): Promise<void> {
  // A reader that has closed already emits no further event.
  if (reader.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let unread = reader.writableLength;
    let checksWithoutProgress = 0;
    const timer = setInterval(() => {
      checksWithoutProgress = reader.writableLength < unread ? 0 : checksWithoutProgress + 1;
      unread = reader.writableLength;
      if (checksWithoutProgress === CHECKS) cutOff(reader);
    }, stalledAfterMs / CHECKS).unref();
    const over = (): void => {
      clearInterval(timer);
      reader.off('drain', over).off('close', over);
      resolve();
    };
    reader.on('drain', over).on('close', over);
  });
}
