import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { costOfMedia, type MediaUsage } from '../../../domain/catalog/media-price.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { AskedSpeech } from '../../../domain/live/speech.ts';
import { textWeight, tokensOfWeight } from '../token-estimate.ts';

/** What can be said of a request before anybody has spoken. Upstreams count nothing in an answer that is a file. */
export interface SpeechFacts {
  /** Unicode code points that are spoken. */
  characters: number;
  /** A guess, of all that is said to the model. */
  tokens: number;
  references: number;
  modalities: Modality[];
}

export interface SpeechBill {
  /** Null where nothing is priced in tokens. */
  usage: TokenUsage | null;
  media: MediaUsage;
  costNanos: Nanos;
}

/**
 * A token is about 0.25 seconds of sound in any language: people speak some fifteen English letters a second, and four
 * of those are a token. A little more is reserved.
 */
const SECONDS_PER_TOKEN = 0.3;

export function readSpeechFacts({ input, instructions = '', references }: AskedSpeech): SpeechFacts {
  const turns = typeof input === 'string' ? [{ text: input }] : input;
  let characters = 0;
  let weight = textWeight(instructions);
  for (const turn of turns) {
    characters += countCharacters(turn.text);
    weight += textWeight(turn.text);
    if ('instructions' in turn && turn.instructions !== undefined) weight += textWeight(turn.instructions);
  }
  const kinds = new Set(references.map(({ kind }): Modality => kind));
  return {
    characters,
    tokens: tokensOfWeight(weight),
    references: references.length,
    modalities: ['text', ...kinds],
  };
}

/** What speaking costs at an endpoint: all of the text, which it had to read, and the sound that came. */
export function billOfSpeech({ pricing }: LiveEndpoint, facts: SpeechFacts, seconds: number): SpeechBill {
  const usage = { prompt: facts.tokens, completion: 0 };
  const media = { characters: facts.characters, outputSeconds: seconds, inputReferences: facts.references };
  return {
    usage: Number(pricing.prompt) === 0 ? null : usage,
    media,
    costNanos: costOfMedia(pricing, usage, media).totalNanos,
  };
}

/** What it may cost at an endpoint, as far as can be guessed. */
export function guessSpeech(endpoint: LiveEndpoint, facts: SpeechFacts, speed = 1): Nanos {
  return billOfSpeech(endpoint, facts, (facts.tokens * SECONDS_PER_TOKEN) / speed).costNanos;
}

/** The text is well-formed: half as many as there are halves of pairs. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) count -= 1;
  }
  return count;
}
