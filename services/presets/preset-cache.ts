import { isAway } from '../../db/outage.ts';
import type { PresetInUse, PresetStore } from '../../db/presets/preset-store.ts';
import { PRESET_SLUG_PATTERN } from '../../domain/presets/preset.ts';
import { createNoticedCache, type Notices } from '../../platform/noticed-cache.ts';

/** What requests get of the presets they name, from memory. */
export interface PresetCache {
  /**
   * The designated version of an active preset of the workspace; null for any other, a disabled and an archived
   * one too. Frozen, since all requests share it. Reads the database only when not cached.
   */
  find(workspaceId: string, slug: string): Promise<PresetInUse | null>;
  /** It was changed in this process, which need not wait for the notice. */
  forget(workspaceId: string, slug: string): void;
  /** The payload of a notice on `sluice_presets`. */
  forgetNoticed(payload: string): void;
  /** Notices may have been missed. */
  forgetAll(): void;
}

export interface PresetCacheOptions {
  store: Pick<PresetStore, 'findInUse'>;
  notices: Notices;
  now?: () => number;
}

const MAX_ENTRIES = 10_000;
/** In characters: presets may be large, and hostile ones will be. */
const MAX_SIZE = 32 * 1024 * 1024;

export function createPresetCache({ store, notices, now }: PresetCacheOptions): PresetCache {
  const cache = createNoticedCache<PresetInUse>({
    async read(key) {
      const at = key.indexOf('/');
      const preset = await store.findInUse(key.slice(0, at), key.slice(at + 1));
      return preset === null ? null : deepFreeze(preset);
    },
    notices,
    isAway,
    maxEntries: MAX_ENTRIES,
    maxSize: MAX_SIZE,
    sizeOf: (preset) => JSON.stringify(preset).length,
    ...(now === undefined ? {} : { now }),
  });
  return {
    async find(workspaceId, slug) {
      // It came with a request, and may be anything.
      if (!PRESET_SLUG_PATTERN.test(slug)) return null;
      const key = keyOf(workspaceId, slug);
      const known = cache.peek(key);
      if (known !== undefined) return known;
      // The first answer may be that of a read which began before the preset was made. The second cannot.
      return (await cache.get(key)) ?? cache.get(key);
    },
    forget: (workspaceId, slug) => cache.forget(keyOf(workspaceId, slug)),
    forgetNoticed: cache.forget,
    forgetAll: cache.forgetAll,
  };
}

/** Returns the key under which the trigger of `presets` announces a change (migrations/20261124002000_create_presets.ts). */
function keyOf(workspaceId: string, slug: string): string {
  return `${workspaceId}/${slug}`;
}

/** A stored configuration is not nested deeper than the contract lets in. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
