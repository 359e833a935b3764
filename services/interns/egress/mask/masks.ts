/** Builds and caches the masks that remove a vault's secrets from the answers of hosts. */
import { LRUCache } from 'lru-cache';
import type { VaultMemory } from '../../vault/vault-memory.ts';
import type { Placeholder } from '../placeholders.ts';
import type { ResolvedSecrets } from '../resolve-secrets.ts';
import { MAX_UNUSED, versionOf } from '../secrets-for-host.ts';
import { addTexts, createLayers, LAYER_ORDER, lengthOf, type MaskLayers, maskOf } from './mask-layers.ts';
import { textsInNames, textsOfCredentials, textsOfValues } from './masked-texts.ts';
import type { TextMask } from './text-mask.ts';
import { createValueAutomaton, type MaskedText, type ValueAutomaton } from './value-automaton.ts';

/** Masks a host's answer. */
export interface AnswerMask extends TextMask {
  /** Returns whether a header's name, which is in lower case, contains one of the texts in any case. */
  isInName(name: string): boolean;
}

/** The cached part of a mask. */
interface KnownMask {
  layers: MaskLayers;
  /** Finds the texts in names of headers. */
  inNames: ValueAutomaton;
}

/** Limits the memory of all masks, in bytes. */
const MAX_BYTES = 16 * 1024 ** 2;
/** The memory of a mask, in bytes, for each byte of its texts. */
const BYTES_FOR_EACH = 36;
/** The constant part of a mask's memory, in bytes. */
const OVERHEAD = 4_096;

/** The shortest value of an unused secret that is masked; a shorter one may be a common word in the host's answer. */
const MIN_UNUSED_LENGTH = 8;

/** Limits the texts of unused values, in bytes. */
const MAX_UNUSED_LENGTH = 16 * 1024;

/** Caches masks, because most requests of an intern to a host use the same secrets. */
export function createMasks(vaults: Pick<VaultMemory, 'valueOf'>) {
  const masks = new LRUCache<string, KnownMask>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ layers, inNames }) => OVERHEAD + BYTES_FOR_EACH * (lengthOf(layers) + inNames.length),
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
    const mask = { layers: createLayers(texts), inNames };
    if (isComplete) masks.set(key, mask);
    return mask;
  }

  function maskFor(secrets: ResolvedSecrets): KnownMask | Promise<KnownMask> {
    const key = keyOf(secrets);
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
      const { layers, inNames } = await maskFor(secrets);
      const credentials = textsOfCredentials(placeholders, secrets.used);
      const tokens = textsInNames(credentials);
      return {
        ...maskOf(addTexts(layers, credentials)),
        isInName: (name) => inNames.isIn(name) || tokens.some((token) => name.includes(token)),
      };
    },
  };
}

/** Returns a text that is only searched for. */
function toUnreplaced(text: string): MaskedText {
  return { text: Buffer.from(text), placeholder: Buffer.alloc(0) };
}

/**
 * Returns a key for the values that a mask consists of. It leaves out Basic credentials, which differ between
 * requests.
 */
function keyOf({ used, forHost }: ResolvedSecrets): string {
  const keys = LAYER_ORDER.map((scope) => forHost[scope].key);
  return [...keys, ...used.map((secret) => `${secret.scope}/${versionOf(secret)}`)].join('\n');
}
