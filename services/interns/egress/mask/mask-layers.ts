/**
 * Combines the secrets of several vaults into one mask, in an order that keeps guessed values from revealing secrets.
 */
import { createHash, randomBytes } from 'node:crypto';
import { SECRET_SCOPES, type SecretScope } from '../../../../domain/interns/effective-secrets.ts';
import { chainMasks, createTextMask, type TextMask } from './text-mask.ts';
import { createValueAutomaton, type MaskedText, type ValueAutomaton } from './value-automaton.ts';

/** The texts of one vault, which are replaced together. */
interface MaskLayer {
  scope: SecretScope;
  automata: readonly ValueAutomaton[];
}

/** The layers of a mask, in the order in which they process an answer. */
export type MaskLayers = readonly MaskLayer[];

/** A text of a secret, with the vault that holds the secret. */
export interface ScopedText extends MaskedText {
  scope: SecretScope;
}

/** The order of the layers. An intern's own vault comes last, because the intern's key can write to it. */
export const LAYER_ORDER: readonly SecretScope[] = SECRET_SCOPES.toReversed();

/**
 * Creates a layer for each vault with one of the texts. Each layer processes the output of the layers before it. So a
 * text of a later layer can match a value of an earlier one only as a whole. An intern therefore cannot find out a part
 * of another vault's value by storing guesses in its own vault.
 */
export function createLayers(texts: readonly ScopedText[]): MaskLayers {
  const scopes = LAYER_ORDER.filter((scope) => texts.some((text) => text.scope === scope));
  return addTexts(
    scopes.map((scope) => ({ scope, automata: [] })),
    texts,
  );
}

/** Returns the layers with further texts. Each text belongs to a vault that has a layer. */
export function addTexts(layers: MaskLayers, texts: readonly ScopedText[]): MaskLayers {
  if (texts.length === 0) return layers;
  const extended: MaskLayer[] = [];
  const markers: MaskedText[] = [];
  for (const { scope, automata } of layers) {
    const own = texts.filter((text) => text.scope === scope);
    const seen = extended.length === 0 ? own : textsBehind(maskOf(extended), own);
    const isLast = extended.length === layers.length - 1;
    const added = isLast ? [...seen, ...markers] : seen.map(withMarker);
    if (!isLast)
      markers.push(...seen.map(({ placeholder }) => ({ text: markerOf(placeholder), placeholder })));
    const more = added.length === 0 ? [] : [createValueAutomaton(added)];
    extended.push({ scope, automata: [...automata, ...more] });
  }
  return extended;
}

/** Builds the mask that applies the layers. */
export function maskOf(layers: MaskLayers): TextMask {
  return chainMasks(layers.map(({ automata }) => createTextMask(automata)));
}

/** Returns the number of bytes that the layers search for. */
export function lengthOf(layers: MaskLayers): number {
  const lengths = layers.flatMap(({ automata }) => automata.map(({ length }) => length));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Returns the texts after earlier layers processed them, without those that became only a marker. */
function textsBehind(earlier: TextMask, texts: readonly ScopedText[]): MaskedText[] {
  return texts
    .map(({ text, placeholder }) => ({
      text: Buffer.from(earlier.replace(text.toString('latin1')), 'latin1'),
      placeholder,
    }))
    .filter(({ text }) => !isMarker(text));
}

/** A random secret of this process, so that no host can forge a marker. */
const MARKER_KEY = randomBytes(32);
const MARKER_LENGTH = 33;

/**
 * Returns bytes that replace a placeholder between the layers. No UTF-8 text contains these bytes, so no layer finds a
 * value in a placeholder or across its edges.
 */
function markerOf(placeholder: Buffer): Buffer {
  const digest = createHash('sha256').update(MARKER_KEY).update(placeholder).digest();
  return Buffer.from([0xff, ...digest.map((byte) => 0xf8 + (byte % 7))]);
}

function isMarker(text: Buffer): boolean {
  return text.length === MARKER_LENGTH && text[0] === 0xff;
}

function withMarker({ text, placeholder }: MaskedText): MaskedText {
  return { text, placeholder: markerOf(placeholder) };
}
