import { createJobOutputStore } from '../../db/job-output-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { ObjectStore } from '../../platform/object-store.ts';

export interface ExpireDeps {
  knex: Handle;
  objectStore: ObjectStore;
}

/**
 * Removes up to `limit` files whose time is over; returns how many. The file goes first, then the row: a
 * crash between the two removes a missing file again, which succeeds.
 */
export async function expireOutputs(deps: ExpireDeps, limit: number): Promise<number> {
  const outputs = createJobOutputStore(deps.knex);
  const expired = await outputs.expired(limit);
  for (const output of expired) {
    await deps.objectStore.delete(output.objectKey);
    await outputs.markRemoved(output.jobId, output.index);
  }
  return expired.length;
}
