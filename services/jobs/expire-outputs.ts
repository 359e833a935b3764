import { createJobOutputStore } from '../../db/job-output-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ObjectStore } from '../../platform/object-store.ts';

export interface ExpireDeps {
  knex: Handle;
  objectStore: ObjectStore;
  logger: Logger;
}

/**
 * Removes up to `limit` files whose time is over; returns how many. The file goes first, then the row: a
 * crash between the two removes a missing file again, which succeeds. A file that cannot be removed does not
 * keep the others.
 */
export async function expireOutputs(deps: ExpireDeps, limit: number): Promise<number> {
  const outputs = createJobOutputStore(deps.knex);
  let removed = 0;
  for (const { jobId, index, objectKey } of await outputs.expired(limit)) {
    try {
      await deps.objectStore.delete(objectKey);
      await outputs.markRemoved(jobId, index);
      removed += 1;
    } catch (error) {
      deps.logger.error({ err: error, jobId, index }, 'output not removed; tried again later');
    }
  }
  return removed;
}
