/** Finds a destination that is ready to receive batches, and caches it for the pumps of this process. */
import { LRUCache } from 'lru-cache';
import { findStoredDestination } from '../../../db/broadcast/find-stored-destination.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { webhookSecretsOf } from '../webhook-secrets-of.ts';
import { type OpenDeps, openDestination, type OpenDestination } from './open-destination.ts';

/**
 * The number of cached destinations: decrypting a configuration takes a tenth of a millisecond, and compiling filters
 * takes longer.
 */
const MAX_CACHED = 1_000;
/** The time for which a destination is cached. A retired webhook secret may sign for this long. */
const CACHED_MS = 60_000;

/**
 * Returns a function that finds an enabled destination in its current state. An opened destination is cached for a
 * minute, or until someone edits it.
 */
export function createFindDestination(
  knex: Handle,
  deps: OpenDeps,
): (id: string) => Promise<OpenDestination | null> {
  const cache = new LRUCache<string, { opened: OpenDestination; updatedAtMs: number }>({
    max: MAX_CACHED,
    ttl: CACHED_MS,
  });
  return async (id) => {
    const stored = await findStoredDestination(knex, id);
    if (stored === null || !stored.enabled) return null;
    const updatedAtMs = stored.updatedAt.getTime();
    const found = cache.get(id);
    if (found !== undefined && found.updatedAtMs === updatedAtMs) return found.opened;
    const opened = openDestination(deps, stored, await webhookSecretsOf(knex, deps.encryption, stored));
    cache.set(id, { opened, updatedAtMs });
    return opened;
  };
}
