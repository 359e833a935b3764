import { LRUCache } from 'lru-cache';
import type { EffectiveSecret } from '../../../../domain/interns/effective-secrets.ts';
import type { KnownSecret, VaultMemory } from '../../vault/vault-memory.ts';
import type { Placeholder } from '../placeholders.ts';
import type { ResolvedSecrets } from '../resolve-secrets.ts';
import { addTexts, createLayers, lengthOf, type MaskLayers, maskOf } from './mask-layers.ts';
import { type OpenSecret, textsOfCredentials, textsOfValues } from './masked-texts.ts';
import type { TextMask } from './text-mask.ts';

/** Remembers masks: most requests of an intern to a host use the same secrets. */
export interface Masks {
  of(placeholders: readonly Placeholder[], secrets: ResolvedSecrets): Promise<TextMask>;
}

/** Limits the memory that masks take, in bytes. */
const MAX_BYTES = 16 * 1024 ** 2;
/** A mask takes about so much memory for each byte that it looks for, and besides. */
const BYTES_FOR_EACH = 36;
const OVERHEAD = 4_096;

/** A shorter value of a secret that the request does not use may be a word that the host writes anyway. */
const MIN_UNUSED_LENGTH = 8;

/** How much of the values that the request does not use is looked for. */
const MAX_UNUSED_LENGTH = 256 * 1024;

export function createMasks(vaults: Pick<VaultMemory, 'valueOf'>): Masks {
  const masks = new LRUCache<string, MaskLayers>({
    maxSize: MAX_BYTES,
    sizeCalculation: (layers) => OVERHEAD + BYTES_FOR_EACH * lengthOf(layers),
  });

  /** A value that cannot be opened is left out: the request does not need it, and must not fail for it. */
  async function openAll(secrets: readonly EffectiveSecret<KnownSecret>[]): Promise<OpenSecret[]> {
    const open: OpenSecret[] = [];
    for (const secret of secrets) {
      const value = await vaults.valueOf(secret).catch(() => undefined);
      if (value !== undefined) open.push({ ...secret, value });
    }
    return open;
  }

  async function layersOf({ used, unused }: ResolvedSecrets): Promise<MaskLayers> {
    const key = [...used, ...unused].map(versionOf).join('\n');
    const known = masks.get(key);
    if (known !== undefined) return known;
    const open = await openAll(unused);
    const layers = createLayers(textsOfValues([...used, ...withinLimit(open)]));
    if (open.length === unused.length) masks.set(key, layers);
    return layers;
  }

  return {
    async of(placeholders, secrets) {
      const layers = await layersOf(secrets);
      return maskOf(addTexts(layers, textsOfCredentials(placeholders, secrets.used)));
    },
  };
}

function withinLimit(secrets: readonly OpenSecret[]): OpenSecret[] {
  let length = 0;
  return secrets.filter(({ value }) => {
    if (value.length < MIN_UNUSED_LENGTH || length + value.length > MAX_UNUSED_LENGTH) return false;
    length += value.length;
    return true;
  });
}

/** Names a secret and its value: a version is never used again. */
function versionOf({ vaultId, name, version, scope }: EffectiveSecret<KnownSecret>): string {
  return `${scope}/${vaultId}/${name}/${version}`;
}
