/** Estimates and bills speech requests by their text and the seconds of sound. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { Amount } from '../../../domain/amount.ts';
import { unitsOf } from '../../../domain/catalog/live-units.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import { costOfMedia, type MediaUsage } from '../../../domain/catalog/media-price.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { RequestedSpeech } from '../../../domain/live/speech.ts';
import { billUnits, type UnusualBill } from '../billed-units.ts';
import { textWeight, tokensOfWeight } from '../token-estimate.ts';

/** Facts about a speech request that are known before it is sent. Upstreams return no counts with an audio file. */
export interface SpeechFacts {
  /** The number of Unicode code points to be spoken. */
  characters: number;
  /** An estimate of all text that the model reads. */
  tokens: number;
  references: number;
  modalities: Modality[];
}

export interface SpeechBill {
  /** Null when the endpoint has no price for tokens of text or sound. */
  usage: TokenUsage | null;
  /** The estimated tokens, also when they cost nothing. */
  tokens: TokenUsage;
  media: MediaUsage;
  unusual?: UnusualBill | undefined;
  costNanos: Nanos;
}

/**
 * Seconds of sound per token, in any language. People speak about fifteen English letters a second, and four letters
 * are a token, which gives 0.25. The constant is a little higher, because reservations must cover slower speech.
 */
const SECONDS_PER_TOKEN = 0.3;

export function readSpeechFacts({ input, instructions = '', references }: RequestedSpeech): SpeechFacts {
  const turns = typeof input === 'string' ? [{ text: input }] : input;
  let characters = 0;
  let weight = textWeight(instructions);
  for (const turn of turns) {
    characters += countCharacters(turn.text);
    weight += textWeight(turn.text);
    if ('instructions' in turn && turn.instructions !== undefined) weight += textWeight(turn.instructions);
  }
  for (const reference of references) {
    if (reference.kind === 'audio') weight += textWeight(reference.transcript ?? '');
  }
  const kinds = new Set(references.map(({ kind }): Modality => kind));
  return {
    characters,
    tokens: tokensOfWeight(weight),
    references: references.length,
    modalities: ['text', ...kinds],
  };
}

/**
 * Bills speech at an endpoint: the whole text, which the endpoint had to read, and the seconds of sound that arrived.
 * Tokens of sound are computed from its seconds, because an answer that is a file has no counts.
 */
export function billOfSpeech(
  endpoint: LiveEndpoint,
  facts: SpeechFacts,
  seconds: number,
  reported?: Amount,
): SpeechBill {
  const { units } = endpoint;
  if (units === undefined) return billAt(endpoint, facts, seconds);
  const { unusual, billableUnits } = billUnits(units, { characters: facts.characters }, reported);
  return { ...billAt(endpoint, facts, seconds, billableUnits), unusual };
}

function billAt(
  { pricing, speech }: LiveEndpoint,
  facts: SpeechFacts,
  seconds: number,
  billableUnits?: number,
): SpeechBill {
  const sound = Math.ceil(seconds * (speech?.tokensPerSecond ?? 0));
  const tokens = { prompt: facts.tokens, completion: sound, completionAudio: sound };
  const media = {
    characters: facts.characters,
    outputSeconds: seconds,
    inputReferences: facts.references,
    ...(billableUnits !== undefined && { billableUnits }),
  };
  const prices = [pricing.prompt, pricing.audioOutput ?? pricing.completion];
  return {
    usage: prices.every((price) => Number(price) === 0) ? null : tokens,
    tokens,
    media,
    costNanos: costOfMedia(pricing, tokens, media).totalNanos,
  };
}

/** Estimates the bill of speech at an endpoint. */
export function billEstimatedSpeech(
  endpoint: LiveEndpoint,
  facts: SpeechFacts,
  { speed = 1, secondsPerToken = SECONDS_PER_TOKEN } = {},
): SpeechBill {
  const { characters } = facts;
  const most = endpoint.units && Number(unitsOf(endpoint.units.most, { characters }));
  return billAt(endpoint, facts, (facts.tokens * secondsPerToken) / speed, most);
}

/** Seconds of sound per token when the model speaks as slowly as it can, or spells abbreviations and numbers. */
const MOST_SECONDS_PER_TOKEN = 1.5;

/** Returns the highest cost of speech at an endpoint. */
export function mostOfSpeech(endpoint: LiveEndpoint, facts: SpeechFacts, speed = 1): Nanos {
  const options = { speed, secondsPerToken: MOST_SECONDS_PER_TOKEN };
  return billEstimatedSpeech(endpoint, facts, options).costNanos;
}

/** Counts code points: each surrogate pair of the well-formed text counts once. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) count -= 1;
  }
  return count;
}
