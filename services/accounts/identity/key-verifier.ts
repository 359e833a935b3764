import { isAway } from '../../../db/outage.ts';
import type { ApiKeyRecord, ApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { hasExpired, type Principal } from '../../../domain/principal.ts';
import { createNoticedCache, type Notices } from '../../../platform/noticed-cache.ts';
import { hashToken, isTokenShaped } from './key-token.ts';

export interface KeyVerifier {
  /** Null for unknown, disabled and expired keys alike. Reads the database only when not cached. */
  verify(token: string): Promise<Principal | null>;
  /** Forgets one key: a notice said that it changed. */
  forget(hash: string): void;
  /** Forgets all: notices may have been missed. */
  forgetAll(): void;
}

export interface KeyVerifierOptions {
  store: Pick<ApiKeyStore, 'findByHash'>;
  notices: Notices;
  /** Told of every key that was right. */
  noteUse?: (keyId: number) => void;
  now?: () => number;
}

const MAX_ENTRIES = 50_000;

/** Verifies keys from memory. A change reaches every replica by Postgres NOTIFY. */
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
