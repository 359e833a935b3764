/** Encodes and decodes the cursors for paging through the list of interns. */
import type { InternPosition } from '../../db/interns/intern-read-model.ts';
import { invalidRequest } from '../../domain/errors.ts';

/** Matches a position in the list: microseconds since 1970 and the id of an intern. */
const POSITION = /^(\d{1,16}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the cursor for the interns after this position. It is opaque to clients. */
export function cursorOf({ createdMicros, id }: InternPosition): string {
  return Buffer.from(`${createdMicros} ${id}`).toString('base64url');
}

/** Reads a cursor. Throws 400 for text that `cursorOf` never returns. */
export function parseCursor(text: string): InternPosition {
  const position = Buffer.from(text, 'base64url').toString('latin1');
  const [, createdMicros, id] = POSITION.exec(position) ?? [];
  if (createdMicros !== undefined && id !== undefined && cursorOf({ createdMicros, id }) === text) {
    return { createdMicros, id };
  }
  throw invalidRequest({ path: 'query.starting_after', message: 'must be the next_cursor of a page' });
}
