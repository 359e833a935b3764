import type { InternStore } from '../../db/interns/intern-store.ts';
import { isPostgresDown } from '../../db/postgres/outage.ts';
import type { KnownIntern } from '../../domain/interns/intern.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';

export interface InternMemoryOptions {
  store: Pick<InternStore, 'findKnown'>;
  notices: Notices;
  now?: () => number;
}

const MAX_INTERNS = 50_000;

/** Caches interns for signing and egress. */
export function createInternMemory({ store, notices, now }: InternMemoryOptions) {
  const cache = createNoticedCache<KnownIntern>({
    read: (id) => store.findKnown(id),
    notices,
    isDown: isPostgresDown,
    maxEntries: MAX_INTERNS,
    refreshesAhead: true,
    now,
  });
  return {
    /**
     * Returns the intern, or null when there is none. The database is read only for an intern that made no request for
     * a while.
     */
    find: (id: string): KnownIntern | Promise<KnownIntern | null> => cache.peek(id) ?? cache.get(id),
    /** Removes an intern that a notice on `sluice_interns` named. */
    forget: cache.forget,
    /** Empties the cache, because notices may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type InternMemory = ReturnType<typeof createInternMemory>;
