/** Deletes logged prompts and answers whose retention has ended. */
import type { Handle } from '../../../db/connection.ts';
import {
  createLoggedBodyStore,
  type ExpiredBody,
  type ExpiryPosition,
} from '../../../db/ledger/logged-body-store.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { createDeadline } from '../../../platform/outbound-deadline.ts';

export interface ExpireBodiesDeps {
  knex: Handle;
  objectStore: Pick<ObjectStore, 'delete'>;
  logger: Pick<Logger, 'error'>;
}

export interface ExpiredBodiesPage {
  removed: number;
  /** The number of bodies that could not be removed; the next run tries them again. */
  failed: number;
  /** The position at which the next page begins; absent when there is none. */
  after?: ExpiryPosition;
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
 * Removes up to `limit` expired logged bodies, the objects before their rows. After a crash between the two, removing
 * the missing object again succeeds. A body that cannot be removed does not hold up the others, because the next page
 * begins after it.
 */
export async function expireBodies(
  deps: ExpireBodiesDeps,
  limit: number,
  after?: ExpiryPosition,
): Promise<ExpiredBodiesPage> {
  const store = createLoggedBodyStore(deps.knex);
  const bodies = await store.expired(limit, after);
  const untilMs = Date.now() + BUDGET_MS;
  const removed: string[] = [];
  let tried = 0;
  while (tried < bodies.length && (tried === 0 || Date.now() < untilMs)) {
    const group = bodies.slice(tried, tried + CONCURRENT_DELETES);
    const isRemoved = await Promise.all(group.map((body) => remove(deps, body)));
    removed.push(...group.filter((_body, index) => isRemoved[index]).map(({ generationId }) => generationId));
    tried += group.length;
  }
  if (removed.length > 0) await store.forget(removed);
  const last = bodies[tried - 1];
  const isLastPage = tried === bodies.length && bodies.length < limit;
  return {
    removed: removed.length,
    failed: tried - removed.length,
    ...(isLastPage || last === undefined
      ? {}
      : { after: { expiresAt: last.expiresAt, generationId: last.generationId } }),
  };
}

async function remove({ objectStore, logger }: ExpireBodiesDeps, body: ExpiredBody): Promise<boolean> {
  const deadline = createDeadline(DELETE_TIMEOUT_MS);
  try {
    await deadline.limit(objectStore.delete(body.objectKey));
    return true;
  } catch (error) {
    const { generationId } = body;
    logger.error({ err: error, generationId }, 'logged body not removed; tried again later');
    return false;
  } finally {
    deadline.clear();
  }
}
