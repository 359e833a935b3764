import { LRUCache } from 'lru-cache';
import type { ApiKeyRecord, ApiKeyStore } from '../../db/api-key-store.ts';
import type { Principal } from '../../domain/principal.ts';
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
  /** Whether change notices arrive; while they do not, an entry lives one second. */
  isListening(): boolean;
  now?: () => number;
}

const MAX_ENTRIES = 50_000;
const LISTENING_TTL_MS = 30_000;
const DEAF_TTL_MS = 1_000;

interface Entry {
  key: ApiKeyRecord;
  readAtMs: number;
}

/**
 * Verifies keys from memory. A change reaches every replica by Postgres NOTIFY; the epoch keeps an answer
 * that was read before a notice from being cached after it.
 */
export function createKeyVerifier(options: KeyVerifierOptions): KeyVerifier {
  const now = options.now ?? Date.now;
  const cache = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  const reading = new Map<string, Promise<ApiKeyRecord | null>>();
  let epoch = 0;

  const read = async (hash: string): Promise<ApiKeyRecord | null> => {
    const startedIn = epoch;
    const readAtMs = now();
    const key = await options.store.findByHash(hash);
    if (key !== null && epoch === startedIn) cache.set(hash, { key, readAtMs });
    return key;
  };

  const readOnce = (hash: string): Promise<ApiKeyRecord | null> => {
    const pending = reading.get(hash);
    if (pending !== undefined) return pending;
    const started = read(hash).finally(() => {
      if (reading.get(hash) === started) reading.delete(hash);
    });
    reading.set(hash, started);
    return started;
  };

  const fresh = (hash: string): ApiKeyRecord | undefined => {
    const entry = cache.get(hash);
    const ttlMs = options.isListening() ? LISTENING_TTL_MS : DEAF_TTL_MS;
    return entry !== undefined && now() - entry.readAtMs < ttlMs ? entry.key : undefined;
  };

  return {
    async verify(token) {
      if (!isTokenShaped(token)) return null;
      const hash = hashToken(token);
      const key = fresh(hash) ?? (await readOnce(hash));
      return key !== null && isUsable(key, now()) ? key : null;
    },
    forget(hash) {
      epoch += 1;
      cache.delete(hash);
      reading.delete(hash);
    },
    forgetAll() {
      epoch += 1;
      cache.clear();
      reading.clear();
    },
  };
}

function isUsable(key: ApiKeyRecord, nowMs: number): boolean {
  return !key.disabled && (key.expiresAt === undefined || key.expiresAt.getTime() > nowMs);
}
