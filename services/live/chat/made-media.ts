/** Tells which media a message of an answer contains, or a piece of one in a stream. */
import type { Fields } from '../../../domain/fields.ts';

/** Returns whether a message contains generated pictures. Some vendors send an empty list with every piece. */
export function hasPictures({ images }: Fields): boolean {
  return Array.isArray(images) ? images.length > 0 : Boolean(images);
}

/** Returns whether a message contains generated sound, or a part of it. */
export function hasSound({ audio }: Fields): boolean {
  return Boolean(audio);
}
