/** Adds up the text in all fields of a request. */
import type { Modality } from '../../../domain/modality.ts';
import { isFields } from '../../../domain/fields.ts';
import { weightOfBytes } from '../token-estimate.ts';
import type { MediumTokens } from './media-tokens.ts';
import type { CacheWrite } from './prompt-facts.ts';

/** The running sums over all fields that were read so far. */
export interface PromptSize {
  /** The weight of all text, and of the text that a model reads. */
  weight: number;
  readWeight: number;
  /** The bytes of all text. */
  bytes: number;
  /** Tokens that are known without an estimate. */
  tokens: number;
  audio: MediumTokens;
  /** All media but pictures and sound. `usual` includes pictures. */
  media: MediumTokens;
  images: number;
  cacheWrite: CacheWrite;
  modalities: Set<Modality>;
  hasMedia: boolean;
}

export function newSize(): PromptSize {
  return {
    weight: 0,
    readWeight: 0,
    bytes: 0,
    tokens: 0,
    audio: { usual: 0, reserved: 0, most: 0 },
    media: { usual: 0, reserved: 0, most: 0 },
    images: 0,
    cacheWrite: 'none',
    modalities: new Set<Modality>(['text']),
    hasMedia: false,
  };
}

/** Adds a text. `isRead` says whether a model reads it. */
export function addText(size: PromptSize, text: string, isRead: boolean): void {
  const bytes = Buffer.byteLength(text);
  addWeight(size, weightOfBytes(text.length, bytes), bytes, isRead);
}

/** The weight and the bytes of the quotes, colon and comma around one entry of JSON. */
const ENTRY_WEIGHT = 6;
const ENTRY_BYTES = 6;
/** A number or a boolean counts as one token. */
const SCALAR_WEIGHT = 8;
const SCALAR_BYTES = 24;

/** Adds any value as a vendor shows it to a model: a text as it is, and everything else as JSON. */
export function addValue(size: PromptSize, value: unknown, isRead: boolean): void {
  if (typeof value === 'string') addText(size, value, isRead);
  else if (Array.isArray(value)) {
    for (const each of value as unknown[]) {
      addWeight(size, ENTRY_WEIGHT, ENTRY_BYTES, isRead);
      addValue(size, each, isRead);
    }
  } else if (isFields(value)) {
    for (const name in value) {
      addWeight(size, ENTRY_WEIGHT, ENTRY_BYTES, isRead);
      addText(size, name, isRead);
      addValue(size, value[name], isRead);
    }
  } else if (value !== undefined && value !== null) addWeight(size, SCALAR_WEIGHT, SCALAR_BYTES, isRead);
}

function addWeight(size: PromptSize, weight: number, bytes: number, isRead: boolean): void {
  size.weight += weight;
  size.bytes += bytes;
  if (isRead) size.readWeight += weight;
}

/** Adds the tokens of a medium to a sum. */
export function addTokens(sum: MediumTokens, { usual, reserved, most }: MediumTokens): void {
  sum.usual += usual;
  sum.reserved += reserved;
  sum.most += most;
}
