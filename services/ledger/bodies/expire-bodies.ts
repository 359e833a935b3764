/** Deletes logged prompts and answers whose retention has ended. */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createLoggedBodyStore, type ExpiryPosition } from '../../../db/ledger/logged-body-store.ts';
import { type ExpiredPage, expireObjects, type ExpiryDeps } from '../../expire-objects.ts';

export interface ExpireBodiesDeps extends ExpiryDeps {
  knex: Handle;
}

/** Removes up to `limit` expired logged bodies, and deletes their rows. */
export async function expireBodies(
  deps: ExpireBodiesDeps,
  limit: number,
  after?: ExpiryPosition,
): Promise<ExpiredPage<ExpiryPosition>> {
  const bodies = createLoggedBodyStore(deps.knex);
  return expireObjects(deps, await bodies.expired(limit, after), limit, (removed) =>
    bodies.forget(removed.map(({ generationId }) => generationId)),
  );
}
