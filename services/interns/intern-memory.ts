import type { InternStore } from '../../db/interns/intern-store.ts';
import { isAway } from '../../db/outage.ts';
import type { KnownIntern } from '../../domain/interns/intern.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';

/** Remembers interns for signing and egress. */
export interface InternMemory {
  /** Reads the database only for an intern that made no request for a while. Null: there is no such intern. */
  find(id: string): KnownIntern | Promise<KnownIntern | null>;
  /** A notice on `sluice_interns` named it. */
  forget(id: string): void;
  /** Notices may have been missed. */
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
