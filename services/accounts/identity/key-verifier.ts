import { isAway } from '../../../db/outage.ts';
import type { ApiKeyRecord, ApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { hasExpired, type Principal } from '../../../domain/principal.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';
import { hashToken, isTokenShaped } from './key-token.ts';

export interface KeyVerifier {
  /** Returns null for unknown, disabled and expired keys. Reads the database only when the key is not cached. */
  verify(token: string): Promise<Principal | null>;
  /** Removes one key from the cache, after a notice that it changed. */
  forget(hash: string): void;
  /** Empties the cache, because notices may have been missed. */
  forgetAll(): void;
}

export interface KeyVerifierOptions {
  store: Pick<ApiKeyStore, 'findByHash'>;
  notices: Notices;
  /** Called with every key that was valid. */
  noteUse?: (keyId: number) => void;
  now?: () => number;
}

const MAX_ENTRIES = 50_000;

/** Verifies keys from memory. Changes reach every replica by Postgres NOTIFY. */
export function createKeyVerifier(options: KeyVerifierOptions): KeyVerifier {
  const { store, notices, noteUse, now = Date.now } = options;
  const cache = createNoticedCache<ApiKeyRecord>({
    read: (hash) => store.findByHash(hash),
    notices,
    isAway,
    maxEntries: MAX_ENTRIES,
    now,
  });
  return {
    async verify(token) {
      if (!isTokenShaped(token)) return null;
      const hash = hashToken(token);
      const key = cache.peek(hash) ?? (await cache.get(hash));
      if (key === null || key.disabled || hasExpired(key, now())) return null;
      noteUse?.(key.keyId);
      return key;
    },
    forget: cache.forget,
    forgetAll: cache.forgetAll,
  };
}
