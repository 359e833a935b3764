import type { Handle } from '../postgres/connection.ts';
import { firstRow } from '../postgres/results.ts';
import { prepared } from '../postgres/statement.ts';
import { DESTINATION, DESTINATIONS, type StoredDestination, toDestination } from './destination-rows.ts';

const FIND = prepared('broadcast-destination', `${DESTINATIONS} where id = :id`);

/** Finds a destination of any organization, for its delivery. */
export async function findStoredDestination(handle: Handle, id: string): Promise<StoredDestination | null> {
  const row = await firstRow(handle, DESTINATION, FIND, { id });
  return row && toDestination(row);
}
