/** Deletes expired objects from the object store, a page of records at a time. */
import type { Logger } from '../platform/logger.ts';
import type { ObjectStore } from '../platform/object-store.ts';
import { createDeadline } from '../platform/outbound-deadline.ts';

export interface ExpiryDeps {
  objectStore: Pick<ObjectStore, 'delete'>;
  logger: Pick<Logger, 'error'>;
}

export interface ExpiredPage<Position> {
  removed: number;
  /** The number of objects that could not be removed; the next run tries them again. */
  failed: number;
  /** The position at which the next page begins; absent when there is none. */
  after?: Position | undefined;
}

const CONCURRENT_DELETES = 16;
/** The timeout of a deletion, so that a silent object store does not hold up the others. */
const DELETE_TIMEOUT_MS = 30_000;
/**
 * The time for a page. With the last deletions, it stays within the two minutes of an activity
 * (workflows/activity-options.ts).
 */
const BUDGET_MS = 60_000;

/**
 * Deletes the objects of up to `limit` records; fewer records are the last page. `forget` records which objects are
 * gone: after a crash before it, deleting the missing objects again succeeds. An object that cannot be deleted does not
 * hold up the others, because the next page begins after it.
 */
export async function expireObjects<Expired extends { objectKey: string }>(
  deps: ExpiryDeps,
  records: readonly Expired[],
  limit: number,
  forget: (removed: Expired[]) => Promise<void>,
): Promise<ExpiredPage<Omit<Expired, 'objectKey'>>> {
  const untilMs = Date.now() + BUDGET_MS;
  let removed = 0;
  let tried = 0;
  while (tried < records.length && (tried === 0 || Date.now() < untilMs)) {
    const group = records.slice(tried, tried + CONCURRENT_DELETES);
    const isDeleted = await Promise.all(group.map(({ objectKey }) => deleteObject(deps, objectKey)));
    const deleted = group.filter((_record, index) => isDeleted[index]);
    if (deleted.length > 0) await forget(deleted);
    removed += deleted.length;
    tried += group.length;
  }
  const last = records[tried - 1];
  const page = { removed, failed: tried - removed };
  if (last === undefined || (tried === records.length && records.length < limit)) return page;
  const { objectKey: _, ...after } = last;
  return { ...page, after };
}

async function deleteObject({ objectStore, logger }: ExpiryDeps, objectKey: string): Promise<boolean> {
  const deadline = createDeadline(DELETE_TIMEOUT_MS);
  try {
    await deadline.limit(objectStore.delete(objectKey));
    return true;
  } catch (error) {
    logger.error({ err: error, objectKey }, 'expired object not removed; tried again later');
    return false;
  } finally {
    deadline.clear();
  }
}
