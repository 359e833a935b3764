import { LRUCache } from 'lru-cache';

/** What was read from the database, kept until a notice says that it changed. */
export interface NoticedCache<Value> {
  /** From memory without a promise, or undefined when it must be read. */
  peek(key: string): Value | undefined;
  get(key: string): Promise<Value | null>;
  /** One key changed. */
  forget(key: string): void;
  /** Notices may have been missed. */
  forgetAll(): void;
}

export interface NoticedCacheOptions<Value> {
  read(key: string): Promise<Value | null>;
  /** Whether change notices arrive; while they do not, an entry lives one second. */
  isListening(): boolean;
  /** Whether a failure to read says that the database is away: then nothing can have been changed in it either. */
  isOutage(error: unknown): boolean;
  maxEntries: number;
  /** Bounds the sum of `sizeOf`, in its unit, where entries may be large. */
  maxSize?: number;
  /** A whole number above 0. */
  sizeOf?(value: Value): number;
  now?: () => number;
}

/** Also how long the last that is known stands in for a database that is away. */
const LISTENING_TTL_MS = 30_000;
const DEAF_TTL_MS = 1_000;

/** The epoch keeps an answer that was read before a notice from being cached after it. Absence is not cached. */
export function createNoticedCache<Value extends object>(
  options: NoticedCacheOptions<Value>,
): NoticedCache<Value> {
  const now = options.now ?? Date.now;
  const { maxEntries, maxSize, sizeOf } = options;
  const cache = new LRUCache<string, { value: Value; readAtMs: number }>({
    max: maxEntries,
    ...(maxSize && sizeOf ? { maxSize, sizeCalculation: ({ value }) => sizeOf(value) } : {}),
  });
  const reading = new Map<string, Promise<Value | null>>();
  let epoch = 0;

  const peek = (key: string): Value | undefined => {
    const entry = cache.get(key);
    const ttlMs = options.isListening() ? LISTENING_TTL_MS : DEAF_TTL_MS;
    return entry !== undefined && now() - entry.readAtMs < ttlMs ? entry.value : undefined;
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
      if (entry === undefined || now() - entry.readAtMs >= LISTENING_TTL_MS || !options.isOutage(error))
        throw error;
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
    forgetAll() {
      epoch += 1;
      cache.clear();
      reading.clear();
    },
  };
}
