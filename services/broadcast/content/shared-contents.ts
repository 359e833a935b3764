/** Reads and decrypts each prompt and answer once for all pumps of a process. */
import { LRUCache } from 'lru-cache';
import type { BodyKey, BroadcastBodyStore } from '../../../db/broadcast/body-store.ts';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { openBody } from '../../ledger/bodies/sealed-content.ts';

export interface SizedKey extends BodyKey {
  /** The length of the JSON. */
  size: number;
}

/** The size of the cache, a part of the memory for content in a process. */
const MAX_BYTES = 16 * 1024 ** 2;
const KEPT_MS = 30_000;

/**
 * Reads and decrypts each prompt and answer once for all pumps of a process. Destinations of one workspace send the
 * same generations at about the same time.
 */
export function createSharedContents(
  store: Pick<BroadcastBodyStore, 'read'>,
  encryption: Pick<Encryption, 'open'>,
) {
  const kept = new LRUCache<string, { content: Promise<BroadcastContent | null>; size: number }>({
    maxSize: MAX_BYTES,
    ttl: KEPT_MS,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });

  const read = async (keys: readonly SizedKey[]): Promise<Map<string, BroadcastContent | null>> => {
    const sealed = await store.read(keys);
    const opened = new Map<string, BroadcastContent | null>();
    for (const [id, body] of sealed) {
      opened.set(id, await openBody(encryption, id, body));
    }
    return opened;
  };
  const readAll = (keys: readonly SizedKey[]): Map<string, Promise<BroadcastContent | null>> => {
    const reading = read(keys);
    return new Map(
      keys.map(({ generationId, size }) => {
        const content = reading.then((opened) => opened.get(generationId) ?? null);
        kept.set(generationId, { content, size });
        content.catch(() => kept.delete(generationId));
        return [generationId, content];
      }),
    );
  };

  return {
    /** Returns the size of cached content; undefined when the content is not cached. */
    sizeOf: (generationId: string): number | undefined => kept.get(generationId)?.size,
    /**
     * Loads contents. A null means that the row does not exist or cannot be decrypted. Rejects during an outage of
     * Postgres. Callers must not change the results.
     */
    async load(keys: readonly SizedKey[]): Promise<Map<string, BroadcastContent | null>> {
      const contents = new Map<string, Promise<BroadcastContent | null>>();
      const missing: SizedKey[] = [];
      for (const key of keys) {
        const found = kept.get(key.generationId);
        if (found === undefined) missing.push(key);
        else contents.set(key.generationId, found.content);
      }
      if (missing.length > 0) for (const [id, content] of readAll(missing)) contents.set(id, content);
      const loaded = new Map<string, BroadcastContent | null>();
      for (const [id, content] of contents) loaded.set(id, await content);
      return loaded;
    },
  };
}

export type SharedContents = ReturnType<typeof createSharedContents>;
