/**
 * Makes a stored destination ready for use: decrypts its configuration, compiles its filters and selects its adapter.
 */
import type { StoredDestination } from '../../../db/broadcast/destination-rows.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { Batch, BatchLimits, SendDeps, SendOutcome } from '../destinations/destination-adapter.ts';
import { destinationTypes } from '../destinations/registry.ts';
import { sendToDestination, testDestination } from '../destinations/send-to-destination.ts';
import { openConfig, webhookSecretsOf } from '../sealed-config.ts';
import { createSelector } from '../filters/compile-filters.ts';
import type { SpanRules } from './prepare-entries.ts';
import { LRUCache } from 'lru-cache';
import { findStoredDestination } from '../../../db/broadcast/find-stored-destination.ts';
import type { Handle } from '../../../db/postgres/connection.ts';

/** A destination that is ready to receive. */
export interface OpenDestination {
  settings: StoredDestination;
  limits: BatchLimits;
  spanRules: SpanRules;
  send(batch: Batch, signal: AbortSignal): Promise<SendOutcome>;
  /** Returns whether the tool accepts the test event now. */
  passesTest(signal: AbortSignal): Promise<boolean>;
}

interface OpenDeps {
  encryption: Pick<Encryption, 'open'>;
  send: Omit<SendDeps, 'webhookSecrets'>;
}

/** Opens the configuration and compiles the filters. Both should be kept until someone edits the destination. */
function openDestination(
  { encryption, send }: OpenDeps,
  settings: StoredDestination,
  webhookSecrets: readonly string[],
): OpenDestination {
  const config = openConfig(encryption, settings);
  const deps = { ...send, webhookSecrets };
  return {
    settings,
    limits: destinationTypes[config.type].limits,
    spanRules: { rules: settings, select: createSelector(settings) },
    send: (batch, signal) => sendToDestination(config, batch, deps, signal),
    passesTest: async (signal) => (await testDestination(config, deps, signal)).passed,
  };
}

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
