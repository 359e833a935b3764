import type { InternStore } from '../../db/interns/intern-store.ts';
import { isAway } from '../../db/outage.ts';
import type { KnownIntern } from '../../domain/interns/intern.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';

/** Caches interns for signing and egress. */
export interface InternMemory {
  /**
   * Returns the intern, or null when there is none. The database is read only for an intern that made no request for
   * a while.
   */
  find(id: string): KnownIntern | Promise<KnownIntern | null>;
  /** Removes an intern that a notice on `sluice_interns` named. */
  forget(id: string): void;
  /** Empties the cache, because notices may have been missed. */
  forgetAll(): void;
}

export interface InternMemoryOptions {
  store: Pick<InternStore, 'findKnown'>;
  notices: Notices;
  now?: () => number;
}

const MAX_INTERNS = 50_000;

export function createInternMemory({ store, notices, now }: InternMemoryOptions): InternMemory {
  const cache = createNoticedCache<KnownIntern>({
    read: (id) => store.findKnown(id),
    notices,
    isAway,
    maxEntries: MAX_INTERNS,
    refreshesAhead: true,
    ...(now === undefined ? {} : { now }),
  });
  return {
    find: (id) => cache.peek(id) ?? cache.get(id),
    forget: cache.forget,
    forgetAll: cache.forgetAll,
  };
}
