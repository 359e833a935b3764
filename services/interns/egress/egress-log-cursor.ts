/** Encodes and decodes the cursors for paging through the egress log of an intern. */
import { invalidRequest } from '../../../domain/errors.ts';

/** Returns the cursor to the entries after this one, which is opaque to clients. */
export function cursorOf(id: string): string {
  return Buffer.from(`egress ${id}`).toString('base64url');
}

/** Reads a cursor; throws 400 for a text that `cursorOf` never returns. */
export function parseCursor(text: string): string {
  const [, id] = /^egress ([1-9]\d{0,17})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (id !== undefined && cursorOf(id) === text) return id;
  throw invalidRequest({ path: 'query.starting_after', message: 'must be the next_cursor of a page' });
}
