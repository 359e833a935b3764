import { LRUCache } from 'lru-cache';
import { findStoredDestination } from '../../../db/broadcast/find-stored-destination.ts';
import type { Handle } from '../../../db/connection.ts';
import { webhookSecretsOf } from '../webhook-secrets-of.ts';
import { type OpenDeps, openDestination, type OpenDestination } from './open-destination.ts';

/** Opening a configuration takes a tenth of a millisecond, compiling filters longer. */
const KEPT = 1_000;
/** A secret that was rotated signs for so long at most after it has retired. */
const KEPT_MS = 60_000;

/**
 * Returns a function that finds a destination that is enabled, as it is at the moment. What is opened is kept while nobody
 * edits the destination.
 */
export function createFindDestination(
  knex: Handle,
  deps: OpenDeps,
): (id: string) => Promise<OpenDestination | null> {
  const kept = new LRUCache<string, { opened: OpenDestination; updatedAtMs: number }>({
    max: KEPT,
    ttl: KEPT_MS,
  });
  return async (id) => {
    const stored = await findStoredDestination(knex, id);
    if (stored === null || !stored.enabled) return null;
    const updatedAtMs = stored.updatedAt.getTime();
    const found = kept.get(id);
    if (found !== undefined && found.updatedAtMs === updatedAtMs) return found.opened;
    const opened = openDestination(deps, stored, await webhookSecretsOf(knex, deps.encryption, stored));
    kept.set(id, { opened, updatedAtMs });
    return opened;
  };
}
