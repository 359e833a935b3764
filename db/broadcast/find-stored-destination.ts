import type { Handle } from '../connection.ts';
import { type DestinationRow, type StoredDestination, toDestination } from './destination-rows.ts';

/** Finds a destination of whatever organization, for its delivery. */
export async function findStoredDestination(handle: Handle, id: string): Promise<StoredDestination | null> {
  const row = await handle<DestinationRow>('observability_destinations').where({ id }).first();
  return row === undefined ? null : toDestination(row);
}
