import type { Writable } from 'node:stream';
import { cutOff } from './cut-off.ts';

/**
 * The time without progress after which a reader counts as gone, since a full buffer blocks its writer. The kernel
 * buffers megabytes and asks for more only after a third of that was read. A phone on a slow line, which gets a picture
 * at 10 KB a second, may therefore seem stalled for minutes.
 */
export const STALLED_AFTER_MS = 300_000;
const LOOKS = 5;

/**
 * Resolves when the reader needs more data, has received everything after its end, or is gone. A reader without
 * progress for `stalledAfterMs` is destroyed. Call it only while data waits to be read.
 */
export function untilTaken(reader: Writable, stalledAfterMs = STALLED_AFTER_MS): Promise<void> {
  // The reader may have closed already, and emits that only once.
  if (reader.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let unread = reader.writableLength;
    let silentLooks = 0;
    const look = setInterval(() => {
      silentLooks = reader.writableLength < unread ? 0 : silentLooks + 1;
      unread = reader.writableLength;
      if (silentLooks === LOOKS) cutOff(reader);
    }, stalledAfterMs / LOOKS).unref();
    const over = (): void => {
      clearInterval(look);
      reader.off('drain', over).off('close', over);
      resolve();
    };
    reader.on('drain', over).on('close', over);
  });
}
