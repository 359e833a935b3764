/** Verifies API keys from memory, and follows changes by notices of Postgres. */
import { LRUCache } from 'lru-cache';
import { isPostgresDown } from '../../../db/postgres/outage.ts';
import type { ApiKeyRecord, ApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { hasExpired, type Principal } from '../../../domain/principal.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';
import { hashToken, isTokenShaped } from './key-token.ts';
import type { UnknownKeys } from './unknown-keys.ts';

type Store = Pick<ApiKeyStore, 'findByHash'>;

export interface KeyVerifierOptions {
  /** Reads keys that were found before. */
  store: Store;
  /** Reads all other keys, over connections of its own. */
  unknownStore: Store;
  unknownKeys: Pick<UnknownKeys, 'lookUp'>;
  notices: Notices;
  /** Called with every key that was valid. */
  noteUse?: (keyId: number) => void;
  now?: () => number;
}

const MAX_ENTRIES = 50_000;

/** Verifies keys from memory. Changes reach every replica by Postgres NOTIFY. */
export function createKeyVerifier(options: KeyVerifierOptions) {
  const { store, unknownStore, unknownKeys, notices, noteUse, now = Date.now } = options;
  /** The hashes of keys that were found. They stay known when the cache forgets the keys. */
  const known = new LRUCache<string, true>({ max: MAX_ENTRIES });
  const cache = createNoticedCache<ApiKeyRecord>({
    async read(hash) {
      const key = await (known.has(hash) ? store : unknownStore).findByHash(hash);
      if (key === null) known.delete(hash);
      else known.set(hash, true);
      return key;
    },
    notices,
    isDown: isPostgresDown,
    maxEntries: MAX_ENTRIES,
    now,
  });
  const read = (hash: string, addressOf: () => string): Promise<ApiKeyRecord | null> =>
    known.has(hash) ? cache.get(hash) : unknownKeys.lookUp(addressOf(), () => cache.get(hash));
  const usable = (key: ApiKeyRecord | null): Principal | null => {
    if (key === null || key.disabled || hasExpired(key, now())) return null;
    noteUse?.(key.keyId);
    return key;
  };
  return {
    /** Returns whether the key was found before, so that it is verified without a look-up that counts. */
    isKnown: (token: string): boolean => known.has(hashToken(token)),
    /**
     * Returns null for unknown, disabled and expired keys. Reads the database only when the key is not cached. Rejects
     * as `UnknownKeys` does if the key was never found; `addressOf` returns the address of the caller.
     */
    async verify(token: string, addressOf: () => string): Promise<Principal | null> {
      if (!isTokenShaped(token)) return null;
      const hash = hashToken(token);
      return usable(cache.peek(hash) ?? (await read(hash, addressOf)));
    },
    /** Does what `verify` does for a key that a record of our own names by its hash, such as a session. */
    verifyHash: async (hash: string): Promise<Principal | null> =>
      usable(cache.peek(hash) ?? (await cache.get(hash))),
    /** Removes one key from the cache, after a notice that it changed. */
    forget: cache.forget,
    /** Empties the cache, because notices may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type KeyVerifier = ReturnType<typeof createKeyVerifier>;
