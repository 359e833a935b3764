import { LRUCache } from 'lru-cache';

/** Caches values from the database until a notice says that they changed. */
export interface NoticedCache<Value> {
  /** Returns the cached value without a promise; undefined if it must be read. */
  peek(key: string): Value | undefined;
  get(key: string): Promise<Value | null>;
  /** Removes the entry of a changed key. */
  forget(key: string): void;
  /** Removes the entries of all keys that match. It inspects every entry, so use it for rare changes. */
  forgetEach(isChanged: (key: string) => boolean): void;
  /** Removes all entries, because notices may have been missed. */
  forgetAll(): void;
}

/** The state of the connection that delivers notices. */
export interface Notices {
  /** Returns whether notices arrive. */
  isConnected(): boolean;
  /** Returns the time, by the clock of `now`, up to which all notices have arrived; -Infinity before the first. */
  heardUntilMs(): number;
}

export interface NoticedCacheOptions<Value> {
  /** Reads a value. It should reject at once while the database is known to be down, and soon otherwise. */
  read(key: string): Promise<Value | null>;
  notices: Notices;
  /** Returns whether a failed read means that the database is down. Its data cannot change then either. */
  isAway(error: unknown): boolean;
  maxEntries: number;
  /** The largest sum of `sizeOf`, for caches of large entries. */
  maxSize?: number;
  /** True: an entry in use is read again before it expires, in the background, so that no caller waits for it. */
  refreshesAhead?: boolean;
  /** Returns a whole number above 0. */
  sizeOf?(value: Value): number;
  now?: () => number;
}

/** The time for which an entry is valid while notices arrive, and while they do not. */
const LISTENING_TTL_MS = 30_000;
const DEAF_TTL_MS = 1_000;
/** The time for which the last valid value is used during a database outage. */
const STAND_IN_MS = 30_000;

interface Entry<Value> {
  value: Value;
  readAtMs: number;
}

/**
 * Returns the time up to which an entry is known to be valid. While notices arrive, a change would have removed the
 * entry, unless it had expired.
 */
function rightUntilMs({ readAtMs }: Entry<unknown>, heardUntilMs: number): number {
  return heardUntilMs > readAtMs && heardUntilMs < readAtMs + LISTENING_TTL_MS ? heardUntilMs : readAtMs;
}

/**
 * Creates the cache. The epoch prevents caching a value that was read before a notice. Absent values are not cached.
 */
export function createNoticedCache<Value extends object>(
  options: NoticedCacheOptions<Value>,
): NoticedCache<Value> {
  const now = options.now ?? Date.now;
  const { maxEntries, maxSize, sizeOf, notices } = options;
  const cache = new LRUCache<string, Entry<Value>>({
    max: maxEntries,
    ...(maxSize && sizeOf ? { maxSize, sizeCalculation: ({ value }) => sizeOf(value) } : {}),
  });
  const reading = new Map<string, Promise<Value | null>>();
  let epoch = 0;

  const peek = (key: string): Value | undefined => {
    const entry = cache.get(key);
    const ttlMs = notices.isConnected() ? LISTENING_TTL_MS : DEAF_TTL_MS;
    const ageMs = entry === undefined ? Infinity : now() - entry.readAtMs;
    if (entry === undefined || ageMs >= ttlMs) return undefined;
    if (options.refreshesAhead === true && ageMs >= ttlMs / 2) refresh(key);
    return entry.value;
  };

  /** Reads an entry again. After a failure the known value stays in use. */
  const refresh = (key: string): void => {
    if (!reading.has(key)) readOnce(key).catch(() => {});
  };

  const read = async (key: string): Promise<Value | null> => {
    const startedIn = epoch;
    const readAtMs = now();
    const value = await options.read(key);
    if (value !== null && epoch === startedIn) cache.set(key, { value, readAtMs });
    return value;
  };

  /** Reads a value, or returns the last known one during a database outage of less than half a minute. */
  const readOrRemember = async (key: string): Promise<Value | null> => {
    try {
      return await read(key);
    } catch (error) {
      const entry = cache.get(key);
      if (entry === undefined || !options.isAway(error)) throw error;
      if (now() - rightUntilMs(entry, notices.heardUntilMs()) >= STAND_IN_MS) throw error;
      return entry.value;
    }
  };

  const readOnce = (key: string): Promise<Value | null> => {
    const pending = reading.get(key);
    if (pending !== undefined) return pending;
    const started = readOrRemember(key).finally(() => {
      if (reading.get(key) === started) reading.delete(key);
    });
    reading.set(key, started);
    return started;
  };

  return {
    peek,
    async get(key) {
      return peek(key) ?? readOnce(key);
    },
    forget(key) {
      epoch += 1;
      cache.delete(key);
      reading.delete(key);
    },
    forgetEach(isChanged) {
      epoch += 1;
      for (const key of cache.keys()) if (isChanged(key)) cache.delete(key);
      for (const key of reading.keys()) if (isChanged(key)) reading.delete(key);
    },
    forgetAll() {
      epoch += 1;
      cache.clear();
      reading.clear();
    },
  };
}
