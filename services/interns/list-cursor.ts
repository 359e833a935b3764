import type { InternPosition } from '../../db/interns/intern-read-model.ts';
import { invalidRequest } from '../../domain/errors.ts';

/** A place in the list: microseconds since 1970 and the id of an intern. */
const PLACE = /^(\d{1,16}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the cursor for the interns behind this place. It is opaque to clients. */
export function cursorOf({ createdMicros, id }: InternPosition): string {
  return Buffer.from(`${createdMicros} ${id}`).toString('base64url');
}

/** Reads a cursor. Throws 400 for text that `cursorOf` never returns. */
export function parseCursor(text: string): InternPosition {
  const place = Buffer.from(text, 'base64url').toString('latin1');
  const [, createdMicros, id] = PLACE.exec(place) ?? [];
  if (createdMicros !== undefined && id !== undefined && cursorOf({ createdMicros, id }) === text) {
    return { createdMicros, id };
  }
  throw invalidRequest({ path: 'query.starting_after', message: 'must be the next_cursor of a page' });
}
