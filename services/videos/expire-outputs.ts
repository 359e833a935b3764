/** Deletes stored video files whose retention has ended. */
import {
  createJobOutputStore,
  type OutputFile,
  type OutputPosition,
} from '../../db/videos/job-output-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ObjectStore } from '../../platform/object-store.ts';
import { createDeadline } from '../../platform/outbound-deadline.ts';

export interface ExpireDeps {
  knex: Handle;
  objectStore: ObjectStore;
  logger: Logger;
  /** The longest time of one attempt to store the files of a job. The attempt starts before the job ends. */
  storeTimeoutMs: number;
}

export interface ExpiredPage {
  removed: number;
  /** The number of files that could not be removed; the next run tries them again. */
  failed: number;
  /** The position at which the next page begins; absent when there is none. */
  after?: OutputPosition;
}

/** The timeout of a deletion, so that a silent object store does not hold up the others. */
const DELETE_TIMEOUT_MS = 30_000;
/**
 * The time for a page. With the last deletion, it stays within the two minutes of an activity
 * (workflows/activity-options.ts).
 */
const BUDGET_MS = 60_000;
/** The time after which an interrupted upload has certainly ended at the object store. */
const UPLOAD_MARGIN_MS = 300_000;

/**
 * Removes up to `limit` expired files, each before its row. After a crash between the two, removing the missing file
 * again succeeds. Files that cannot be removed do not hold up the others, because the next page begins after them.
 */
export async function expireOutputs(
  deps: ExpireDeps,
  limit: number,
  after?: OutputPosition,
): Promise<ExpiredPage> {
  const abandonedAfterMs = deps.storeTimeoutMs + UPLOAD_MARGIN_MS;
  const files = await createJobOutputStore(deps.knex).expired(after, limit, abandonedAfterMs);
  const untilMs = Date.now() + BUDGET_MS;
  let removed = 0;
  let last: OutputPosition | undefined;
  let failed = 0;
  for (const file of files) {
    if (last !== undefined && Date.now() > untilMs) break;
    if (await remove(deps, file)) removed += 1;
    else failed += 1;
    last = { jobId: file.jobId, index: file.index };
  }
  const isLastPage = removed + failed === files.length && files.length < limit;
  return { removed, failed, ...(isLastPage || last === undefined ? {} : { after: last }) };
}

async function remove(deps: ExpireDeps, file: OutputPosition & OutputFile): Promise<boolean> {
  const { jobId, index } = file;
  const deadline = createDeadline(DELETE_TIMEOUT_MS);
  try {
    await deadline.limit(deps.objectStore.delete(file.objectKey));
    await createJobOutputStore(deps.knex).markRemoved(file);
    return true;
  } catch (error) {
    deps.logger.error({ err: error, jobId, index }, 'output not removed; tried again later');
    return false;
  } finally {
    deadline.clear();
  }
}
