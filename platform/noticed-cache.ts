import { LRUCache } from 'lru-cache';

/** What was read from the database, kept until a notice says that it changed. */
export interface NoticedCache<Value> {
  /** From memory without a promise, or undefined when it must be read. */
  peek(key: string): Value | undefined;
  get(key: string): Promise<Value | null>;
  /** One key changed. */
  forget(key: string): void;
  /** All keys of which this is true changed. Looks at every entry: for changes that are rare. */
  forgetEach(isChanged: (key: string) => boolean): void;
  /** Notices may have been missed. */
  forgetAll(): void;
}

/** The way on which changes are noticed. */
export interface Notices {
  /** Whether they arrive. */
  isConnected(): boolean;
  /** Until when all have arrived, by the clock of `now`; -Infinity before the first. */
  heardUntilMs(): number;
}

export interface NoticedCacheOptions<Value> {
  /** Should reject at once while the database is known to be away, and soon when it is. */
  read(key: string): Promise<Value | null>;
  notices: Notices;
  /** Whether a failure to read says that the database is away: then nothing can have been changed in it either. */
  isAway(error: unknown): boolean;
  maxEntries: number;
  /** Bounds the sum of `sizeOf`, in its unit, where entries may be large. */
  maxSize?: number;
  /**
   * True: an entry that is asked for is read again before its time is over, behind the answer, so that nobody waits for
   * what is in use.
   */
  refreshesAhead?: boolean;
  /** A whole number above 0. */
  sizeOf?(value: Value): number;
  now?: () => number;
}

/** How long an entry is taken for right while notices arrive, and while they do not. */
const LISTENING_TTL_MS = 30_000;
const DEAF_TTL_MS = 1_000;
/** How long the last that was known to be right stands in for a database that is away. */
const STAND_IN_MS = 30_000;

interface Entry<Value> {
  value: Value;
  readAtMs: number;
}

/** A notice would have removed the entry for as long as notices arrived, unless it was too old to be relied on. */
function rightUntilMs({ readAtMs }: Entry<unknown>, heardUntilMs: number): number {
  return heardUntilMs > readAtMs && heardUntilMs < readAtMs + LISTENING_TTL_MS ? heardUntilMs : readAtMs;
}

/** The epoch keeps an answer that was read before a notice from being cached after it. Absence is not cached. */
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

  /** Reads an entry again. A failure changes nothing: the known value stays in use. */
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

  /** Rather what was so half a minute ago than a refusal. */
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
