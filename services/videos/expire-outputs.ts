/** Deletes stored video files whose retention has ended. */
import { createJobOutputStore, type OutputPosition } from '../../db/videos/job-output-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { type ExpiredPage, expireObjects, type ExpiryDeps } from '../expire-objects.ts';

export interface ExpireDeps extends ExpiryDeps {
  knex: Handle;
  /** The longest time of one attempt to store the files of a job. The attempt starts before the job ends. */
  storeTimeoutMs: number;
}

/** The time after which an interrupted upload has certainly ended at the object store. */
const UPLOAD_MARGIN_MS = 300_000;

/** Removes up to `limit` expired files, and marks their rows. */
export async function expireOutputs(
  deps: ExpireDeps,
  limit: number,
  after?: OutputPosition,
): Promise<ExpiredPage<OutputPosition>> {
  const outputs = createJobOutputStore(deps.knex);
  const files = await outputs.expired(after, limit, deps.storeTimeoutMs + UPLOAD_MARGIN_MS);
  return expireObjects(deps, files, limit, async (removed) => {
    for (const file of removed) await outputs.markRemoved(file);
  });
}
