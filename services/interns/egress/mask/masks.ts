import { LRUCache } from 'lru-cache';
import type { KnownSecret, VaultMemory } from '../../vault/vault-memory.ts';
import type { Placeholder } from '../placeholders.ts';
import type { ResolvedSecrets } from '../resolve-secrets.ts';
import { maskedTexts, type OpenSecret } from './masked-texts.ts';
import { createTextMask, type TextMask } from './text-mask.ts';

/** Remembers masks: most requests of an intern to a host use the same secrets. */
export interface Masks {
  of(placeholders: readonly Placeholder[], secrets: ResolvedSecrets): Promise<TextMask>;
}

/** Limits the memory that masks take, in bytes. */
const MAX_BYTES = 16 * 1024 ** 2;
/** A mask takes about so much memory for each byte that it looks for, and besides. */
const BYTES_FOR_EACH = 32;
const OVERHEAD = 4_096;

export function createMasks(vaults: Pick<VaultMemory, 'valueOf'>): Masks {
  const masks = new LRUCache<string, TextMask>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => OVERHEAD + BYTES_FOR_EACH * length,
  });

  /** A value that cannot be opened is left out: the request does not need it, and must not fail for it. */
  async function openAll(secrets: readonly KnownSecret[]): Promise<OpenSecret[]> {
    const open: OpenSecret[] = [];
    for (const secret of secrets) {
      const value = await vaults.valueOf(secret).catch(() => undefined);
      if (value !== undefined) open.push({ name: secret.name, value });
    }
    return open;
  }

  return {
    async of(placeholders, { used, unused }) {
      const key = [...placeholders.map(({ text }) => text), ...[...used, ...unused].map(versionOf)].join(
        '\n',
      );
      const known = masks.get(key);
      if (known !== undefined) return known;
      const open = await openAll(unused);
      const mask = createTextMask(maskedTexts(placeholders, used, open));
      if (open.length === unused.length) masks.set(key, mask);
      return mask;
    },
  };
}

/** Names a secret and its value: a version is never used again. */
function versionOf({ vaultId, name, version }: KnownSecret): string {
  return `${vaultId}/${name}/${version}`;
}
