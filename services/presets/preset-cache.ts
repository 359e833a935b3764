/** Serves the presets that requests name from memory, so that most requests need no query. */
import { isPostgresDown } from '../../db/postgres/outage.ts';
import type { PresetInUse, PresetStore } from '../../db/presets/preset-store.ts';
import { PRESET_SLUG_PATTERN } from '../../domain/presets/preset.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';

export interface PresetCacheOptions {
  store: Pick<PresetStore, 'findInUse'>;
  notices: Notices;
  now?: () => number;
}

const MAX_ENTRIES = 10_000;
/** The largest size of the cache, in characters. Presets may be large, and attackers may create many large ones. */
const MAX_SIZE = 32 * 1024 * 1024;

/** Caches the presets that requests use. */
export function createPresetCache({ store, notices, now }: PresetCacheOptions) {
  const cache = createNoticedCache<PresetInUse>({
    async read(key) {
      const at = key.indexOf('/');
      const preset = await store.findInUse(key.slice(0, at), key.slice(at + 1));
      return preset === null ? null : deepFreeze(preset);
    },
    notices,
    isDown: isPostgresDown,
    maxEntries: MAX_ENTRIES,
    maxSize: MAX_SIZE,
    sizeOf: (preset) => JSON.stringify(preset).length,
    now,
  });
  return {
    /**
     * Returns the designated version of an active preset of the workspace, or null for any other preset, including
     * disabled and archived ones. The result is frozen, because all requests share it. Reads the database only for
     * presets that are not cached.
     */
    async find(workspaceId: string, slug: string): Promise<PresetInUse | null> {
      // The slug comes from a request and may be any text.
      if (!PRESET_SLUG_PATTERN.test(slug)) return null;
      const key = keyOf(workspaceId, slug);
      const known = cache.peek(key);
      if (known !== undefined) return known;
      // A null may come from a running read that started before the preset was created. A second read cannot.
      return (await cache.get(key)) ?? cache.get(key);
    },
    /** Removes a preset that this process changed, without waiting for the notice. */
    forget: (workspaceId: string, slug: string): void => cache.forget(keyOf(workspaceId, slug)),
    /** Removes the preset that a notice on `sluice_presets` named in its payload. */
    forgetNoticed: cache.forget,
    /** Empties the cache, because notices may have been missed. */
    forgetAll: cache.forgetAll,
  };
}

export type PresetCache = ReturnType<typeof createPresetCache>;

/** Returns the key of a preset, in the form of the notices (migrations/20261128002000_create_presets.ts). */
function keyOf(workspaceId: string, slug: string): string {
  return `${workspaceId}/${slug}`;
}

/** Freezes a value with everything in it. The contract limits how deeply a configuration is nested. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
