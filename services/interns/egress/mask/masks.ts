/** Builds and caches the masks that remove a vault's secrets from the answers of hosts. */
import { LRUCache } from 'lru-cache';
import type { VaultMemory } from '../../vault/vault-memory.ts';
import type { Placeholder } from '../placeholders.ts';
import type { ResolvedSecrets } from '../resolve-secrets.ts';
import { MAX_UNUSED, versionOf } from '../secrets-for-host.ts';
import {
  addTexts,
  createLayers,
  LAYER_ORDER,
  lengthOf,
  type MaskLayers,
  maskOf,
  type ScopedText,
} from './mask-layers.ts';
import { textsInNames, textsOfCredentials, textsOfValues } from './masked-texts.ts';
import type { TextMask } from './text-mask.ts';
import { createValueAutomaton, type MaskedText, type ValueAutomaton } from './value-automaton.ts';

/** Masks a host's answer. */
export interface AnswerMask extends TextMask {
  /** Returns whether a header's name, which is in lower case, contains one of the texts in any case. */
  isInName(name: string): boolean;
}

/** A mask with the parts that a mask for further texts is built from. */
interface KnownMask extends AnswerMask {
  layers: MaskLayers;
  /** Finds the texts in names of headers. */
  inNames: ValueAutomaton;
}

/** Limits the memory of all masks, in bytes. */
const MAX_BYTES = 32 * 1024 ** 2;
/** Limits the memory of masks with Basic credentials, apart from the others: interns can make any number of them. */
const MAX_CREDENTIAL_BYTES = 8 * 1024 ** 2;
/** The memory of a mask, in bytes, for each byte of its texts. */
const BYTES_FOR_EACH = 36;
/** The constant part of a mask's memory, in bytes. */
const OVERHEAD = 4_096;

/** The shortest value of an unused secret that is masked; a shorter one may be a common word in the host's answer. */
const MIN_UNUSED_LENGTH = 8;

/** Limits the texts of unused values, in bytes. A value of letters and digits has ten times its length in texts. */
const MAX_UNUSED_LENGTH = 64 * 1024;

/** Caches masks, because most requests of an intern to a host use the same secrets. */
export function createMasks(vaults: Pick<VaultMemory, 'valueOf'>) {
  const masks = new LRUCache<string, KnownMask>({
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
  });
  const withCredentials = new LRUCache<string, AnswerMask & { size: number }>({
    maxSize: MAX_CREDENTIAL_BYTES,
    sizeCalculation: ({ size }) => size,
  });
  const underWay = new Map<string, Promise<KnownMask>>();

  async function build(key: string, { used, forHost }: ResolvedSecrets): Promise<KnownMask> {
    const usedVersions = new Set(used.map(versionOf));
    const unused = LAYER_ORDER.flatMap((scope) =>
      forHost[scope].secrets.map((secret) => ({ ...secret, scope })),
    ).filter((secret) => !usedVersions.has(versionOf(secret)));
    const texts = textsOfValues(used);
    let room = MAX_UNUSED_LENGTH;
    let isComplete = true;
    for (const secret of unused.slice(0, MAX_UNUSED)) {
      if (room < MIN_UNUSED_LENGTH) break;
      // A value that cannot be opened is left out, because the request does not use it and must not fail.
      const value = await vaults.valueOf(secret).catch(() => undefined);
      isComplete &&= value !== undefined;
      if (value === undefined || value.length > room) continue;
      const added = textsOfValues([{ ...secret, value }]);
      const length = added.reduce((sum, { text }) => sum + text.length, 0);
      if (length > room || added.some(({ text }) => text.length < MIN_UNUSED_LENGTH)) continue;
      room -= length;
      texts.push(...added);
    }
    const inNames = createValueAutomaton(textsInNames(texts).map(toUnreplaced));
    const layers = createLayers(texts);
    const mask = { ...maskOf(layers), isInName: inNames.isIn, layers, inNames };
    if (isComplete) masks.set(key, mask);
    return mask;
  }

  function maskFor(key: string, secrets: ResolvedSecrets): KnownMask | Promise<KnownMask> {
    const known = masks.get(key) ?? underWay.get(key);
    if (known !== undefined) return known;
    const built = build(key, secrets).finally(() => underWay.delete(key));
    underWay.set(key, built);
    return built;
  }

  return {
    /**
     * Returns a mask for the secrets of the request, and for other values of the vaults that the host may have kept
     * from earlier requests.
     */
    async of(placeholders: readonly Placeholder[], secrets: ResolvedSecrets): Promise<AnswerMask> {
      const key = keyOf(secrets);
      const credentials = placeholders.filter(({ user }) => user !== undefined);
      if (credentials.length === 0) return maskFor(key, secrets);
      const keyWithCredentials = [key, ...credentials.map(({ text }) => text)].join('\n');
      const known = withCredentials.get(keyWithCredentials);
      if (known !== undefined) return known;
      const base = await maskFor(key, secrets);
      const mask = maskWith(base, textsOfCredentials(credentials, secrets.used));
      withCredentials.set(keyWithCredentials, mask);
      return mask;
    },
  };
}

/** Returns a mask for further texts, which are Basic credentials of the request. */
function maskWith(base: KnownMask, credentials: readonly ScopedText[]): AnswerMask & { size: number } {
  const { inNames } = base;
  const layers = addTexts(base.layers, credentials);
  const tokens = textsInNames(credentials);
  return {
    ...maskOf(layers),
    isInName: (name) => inNames.isIn(name) || tokens.some((token) => name.includes(token)),
    size: sizeOf({ layers, inNames }),
  };
}

/** Returns the memory that a mask takes, in bytes. */
function sizeOf({ layers, inNames }: Pick<KnownMask, 'layers' | 'inNames'>): number {
  return OVERHEAD + BYTES_FOR_EACH * (lengthOf(layers) + inNames.length);
}

/** Returns a text that is only searched for. */
function toUnreplaced(text: string): MaskedText {
  return { text: Buffer.from(text), placeholder: Buffer.alloc(0) };
}

/** Returns a key for the values that a mask consists of. It leaves out Basic credentials. */
function keyOf({ used, forHost }: ResolvedSecrets): string {
  const keys = LAYER_ORDER.map((scope) => forHost[scope].key);
  return [...keys, ...used.map((secret) => `${secret.scope}/${versionOf(secret)}`)].join('\n');
}
