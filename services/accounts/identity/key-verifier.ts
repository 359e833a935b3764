/** Verifies API keys from memory, and follows changes by notices of Postgres. */
import { isPostgresDown } from '../../../db/outage.ts';
import type { ApiKeyRecord, ApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { hasExpired, type Principal } from '../../../domain/principal.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';
import { hashToken, isTokenShaped } from './key-token.ts';

export interface KeyVerifierOptions {
  store: Pick<ApiKeyStore, 'findByHash'>;
  notices: Notices;
  /** Called with every key that was valid. */
  noteUse?: (keyId: number) => void;
  now?: () => number;
}

const MAX_ENTRIES = 50_000;

/** Verifies keys from memory. Changes reach every replica by Postgres NOTIFY. */
export function createKeyVerifier(options: KeyVerifierOptions) {
  const { store, notices, noteUse, now = Date.now } = options;
  const cache = createNoticedCache<ApiKeyRecord>({
    read: (hash) => store.findByHash(hash),
    notices,
    isDown: isPostgresDown,
    maxEntries: MAX_ENTRIES,
    now,
  });
  return {
    /** Returns null for unknown, disabled and expired keys. Reads the database only when the key is not cached. */
    async verify(token: string): Promise<Principal | null> {
      if (!isTokenShaped(token)) return null;
      const hash = hashToken(token);
      const key = cache.peek(hash) ?? (await cache.get(hash));
      if (key === null || key.disabled || hasExpired(key, now())) return null;
      noteUse?.(key.keyId);
      return key;
    },
    /** Removes one key from the cache, after a notice that it changed. */
    forget: cache.forget,
    /** Empties the cache, because notices may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type KeyVerifier = ReturnType<typeof createKeyVerifier>;
