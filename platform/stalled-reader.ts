import type { Writable } from 'node:stream';
import { cutOff } from './cut-off.ts';

/**
 * A reader who takes nothing for so long is gone, or as good as gone: a full buffer waits, and behind it whatever fills
 * it. The kernel buffers megabytes of its own and asks for more only when a third of that is read, so a phone on a bad
 * line, which gets a picture at 10 KB a second, may seem to take nothing for minutes.
 */
export const STALLED_AFTER_MS = 300_000;
const LOOKS = 5;

/**
 * Resolves when the reader wants more, has got all after its end, or is gone; one that takes nothing for `stalledAfterMs`
 * is destroyed. Ask only where something waits to be taken.
 */
export function untilTaken(reader: Writable, stalledAfterMs = STALLED_AFTER_MS): Promise<void> {
  // It may have closed already, and says so only once.
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
