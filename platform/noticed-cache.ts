/** Caches rows of the database in memory, and drops them when a notice reports a change. */
import { LRUCache } from 'lru-cache';

/** Caches values from the database until a notice reports that they changed. */
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
  /**
   * Reads a value. It should reject at once while the database is known to be down, and within a short time otherwise.
   */
  read(key: string): Promise<Value | null>;
  notices: Notices;
  /**
   * Returns whether the error of a read means that the database is down. Its data cannot change either while it is
   * down.
   */
  isDown(error: unknown): boolean;
  maxEntries: number;
  /** The largest sum of `sizeOf`, for caches of large entries. */
  maxSize?: number;
  /** True: an entry in use is read again before it expires, in the background, so that no caller waits for it. */
  refreshesAhead?: boolean;
  /** Returns a whole number above 0. */
  sizeOf?(value: Value): number;
  now?: (() => number) | undefined;
}

/** The lifetime of an entry while notices arrive, and while they do not. */
const LISTENING_TTL_MS = 30_000;
const DISCONNECTED_TTL_MS = 1_000;
/** The time after its last confirmation for which a value is used during a database outage. */
const OUTAGE_TTL_MS = 30_000;

interface Entry<Value> {
  value: Value;
  readAtMs: number;
}

/**
 * Returns the time up to which an entry is known to be valid. While notices arrive, a notice of a change would have
 * removed the entry, so every notice confirms it. After the entry's lifetime, only its read counts.
 */
function validUntilMs({ readAtMs }: Entry<unknown>, heardUntilMs: number): number {
  return heardUntilMs > readAtMs && heardUntilMs < readAtMs + LISTENING_TTL_MS ? heardUntilMs : readAtMs;
}

interface Entries<Value extends object> {
  options: NoticedCacheOptions<Value>;
  now(): number;
  cache: LRUCache<string, Entry<Value>>;
  reading: Map<string, Promise<Value | null>>;
  /** Grows with every notice. A value whose read began in an earlier epoch may be outdated, so it is not cached. */
  epoch: number;
}

/** Creates the cache. It does not cache that a value is absent. */
export function createNoticedCache<Value extends object>(
  options: NoticedCacheOptions<Value>,
): NoticedCache<Value> {
  const { maxEntries, maxSize, sizeOf } = options;

  const entries: Entries<Value> = {
    options,
    now: options.now ?? Date.now,
    cache: new LRUCache<string, Entry<Value>>({
      max: maxEntries,
      ...(maxSize && sizeOf ? { maxSize, sizeCalculation: ({ value }) => sizeOf(value) } : {}),
    }),
    reading: new Map<string, Promise<Value | null>>(),
    epoch: 0,
  };

  return {
    peek: (key) => peek(entries, key),
    async get(key) {
      return peek(entries, key) ?? readOnce(entries, key);
    },
    forget(key) {
      entries.epoch += 1;
      entries.cache.delete(key);
      entries.reading.delete(key);
    },
    forgetEach(isChanged) {
      entries.epoch += 1;
      for (const key of entries.cache.keys()) if (isChanged(key)) entries.cache.delete(key);
      for (const key of entries.reading.keys()) if (isChanged(key)) entries.reading.delete(key);
    },
    forgetAll() {
      entries.epoch += 1;
      entries.cache.clear();
      entries.reading.clear();
    },
  };
}

function peek<Value extends object>(entries: Entries<Value>, key: string): Value | undefined {
  const entry = entries.cache.get(key);
  const ttlMs = entries.options.notices.isConnected() ? LISTENING_TTL_MS : DISCONNECTED_TTL_MS;
  const ageMs = entry === undefined ? Infinity : entries.now() - entry.readAtMs;
  if (entry === undefined || ageMs >= ttlMs) return undefined;
  if (entries.options.refreshesAhead === true && ageMs >= ttlMs / 2) refresh(entries, key);
  return entry.value;
}

/** Reads an entry again. A failure changes nothing: the known value stays in use. */
function refresh<Value extends object>(entries: Entries<Value>, key: string): void {
  if (!entries.reading.has(key)) readOnce(entries, key).catch(() => {});
}

async function read<Value extends object>(entries: Entries<Value>, key: string): Promise<Value | null> {
  const startedIn = entries.epoch;
  const readAtMs = entries.now();
  const value = await entries.options.read(key);
  if (value !== null && entries.epoch === startedIn) entries.cache.set(key, { value, readAtMs });
  return value;
}

/**
 * Reads a value. During a database outage, returns the last known value for up to half a minute instead of rejecting.
 */
async function readOrRemember<Value extends object>(
  entries: Entries<Value>,
  key: string,
): Promise<Value | null> {
  const { isDown, notices } = entries.options;
  try {
    return await read(entries, key);
  } catch (error) {
    const entry = entries.cache.get(key);
    if (entry === undefined || !isDown(error)) throw error;
    if (entries.now() - validUntilMs(entry, notices.heardUntilMs()) >= OUTAGE_TTL_MS) throw error;
    return entry.value;
  }
}

function readOnce<Value extends object>(entries: Entries<Value>, key: string): Promise<Value | null> {
  const pending = entries.reading.get(key);
  if (pending !== undefined) return pending;
  const started = readOrRemember(entries, key).finally(() => {
    if (entries.reading.get(key) === started) entries.reading.delete(key);
  });
  entries.reading.set(key, started);
  return started;
}
