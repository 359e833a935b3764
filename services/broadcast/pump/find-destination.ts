import { LRUCache } from 'lru-cache';
import { findStoredDestination } from '../../../db/broadcast/find-stored-destination.ts';
import type { Handle } from '../../../db/connection.ts';
import { webhookSecretsOf } from '../webhook-secrets-of.ts';
import { type OpenDeps, openDestination, type OpenDestination } from './open-destination.ts';

/**
 * The destinations that are kept opened: decrypting a configuration takes a tenth of a millisecond, and compiling
 * filters takes longer.
 */
const KEPT = 1_000;
/** The longest time for which a retired webhook secret may still sign. */
const KEPT_MS = 60_000;

/**
 * Returns a function that finds an enabled destination in its current state. An opened destination is kept until
 * someone edits it.
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
