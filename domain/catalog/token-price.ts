/** Computes the exact cost of tokens from the prices of an endpoint. */
import { PRICE_INSTEAD, type TokenPrices } from './token-pricing.ts';
import type { TokenUsage } from '../token-usage.ts';
import type { Nanos } from '../money.ts';

/**
 * The decimal digits of a price: prices of single tokens are fractions of a nanodollar, so they are kept in units of
 * 10⁻¹⁸ dollars.
 */
const DIGITS = 18;
const ATTOS_PER_NANO = 1_000_000_000n;

interface Rates {
  prompt: bigint;
  completion: bigint;
  request: bigint;
  image: bigint;
  audio: bigint;
  imageInput: bigint;
  videoInput: bigint;
  cacheRead: bigint;
  cacheReadAudio: bigint;
  cacheWrite: bigint;
  cacheWriteHour: bigint;
  reasoning: bigint;
  imageOutput: bigint;
  audioOutput: bigint;
}

export interface TokenCost {
  promptNanos: Nanos;
  completionNanos: Nanos;
  totalNanos: Nanos;
}

/** Amounts in 10⁻¹⁸ dollars. */
export interface Attos {
  prompt: bigint;
  completion: bigint;
}

/**
 * The unrounded cost of each kind of token, in 10⁻¹⁸ dollars. `prompt` and `completion` have the tokens of no other
 * kind.
 */
export interface AttosByKind extends Attos {
  cacheRead: bigint;
  cacheWrite: bigint;
  promptAudio: bigint;
  promptImage: bigint;
  promptVideo: bigint;
  /** Pictures of the prompt that are charged per picture. */
  images: bigint;
  request: bigint;
  reasoning: bigint;
  completionImage: bigint;
  completionAudio: bigint;
}

/** Caches parsed prices, because the prices of a catalog row are used often. */
const ratesOfPricing = new WeakMap<TokenPrices, Rates>();

/**
 * Returns the cost of a call, rounded half up to the nanodollar, once. Cached, audio, image and reasoning tokens are
 * parts of prompt or completion. A kind without a price of its own is charged at the usual rate.
 */
export function costOfTokens(pricing: TokenPrices, usage: TokenUsage, images = 0): TokenCost {
  return toCost(attosOfTokens(pricing, usage, images));
}

/** Returns the unrounded cost of tokens, to which other costs can be added. */
export function attosOfTokens(pricing: TokenPrices, usage: TokenUsage, images = 0): Attos {
  const kinds = attosByKind(pricing, usage, images);
  const {
    prompt,
    cacheRead,
    cacheWrite,
    promptAudio,
    promptImage,
    promptVideo,
    images: pictures,
    request,
  } = kinds;
  const { completion, reasoning, completionImage, completionAudio } = kinds;
  return {
    prompt: prompt + cacheRead + cacheWrite + promptAudio + promptImage + promptVideo + pictures + request,
    completion: completion + reasoning + completionImage + completionAudio,
  };
}

/** Returns the cost of each kind of token. A kind without a price of its own is charged at the usual rate. */
export function attosByKind(pricing: TokenPrices, usage: TokenUsage, images = 0): AttosByKind {
  const rates = ratesOf(pricing);
  const { cacheRead = 0, cacheReadAudio = 0, cacheWrite = 0, cacheWriteHour = 0 } = usage;
  const { promptAudio = 0, promptImage = 0, promptVideo = 0 } = usage;
  const { reasoning = 0, completionImage = 0, completionAudio = 0 } = usage;
  const priced = cacheRead + cacheWrite + promptAudio + promptImage + promptVideo;
  const plainPrompt = Math.max(0, usage.prompt - priced);
  const plainCompletion = Math.max(0, usage.completion - reasoning - completionImage - completionAudio);
  let cacheReadAttos = attosOf(cacheRead, rates.cacheRead);
  if (cacheReadAudio > 0) cacheReadAttos += attosOf(cacheReadAudio, rates.cacheReadAudio - rates.cacheRead);
  let cacheWriteAttos = attosOf(cacheWrite, rates.cacheWrite);
  if (cacheWriteHour > 0) cacheWriteAttos += attosOf(cacheWriteHour, rates.cacheWriteHour - rates.cacheWrite);
  return {
    prompt: attosOf(plainPrompt, rates.prompt),
    cacheRead: cacheReadAttos,
    cacheWrite: cacheWriteAttos,
    promptAudio: attosOf(promptAudio, rates.audio),
    promptImage: attosOf(promptImage, rates.imageInput),
    promptVideo: attosOf(promptVideo, rates.videoInput),
    images: attosOf(images, rates.image),
    request: rates.request,
    completion: attosOf(plainCompletion, rates.completion),
    reasoning: attosOf(reasoning, rates.reasoning),
    completionImage: attosOf(completionImage, rates.imageOutput),
    completionAudio: attosOf(completionAudio, rates.audioOutput),
  };
}

/** Multiplies count and rate. Zero is the common case and needs no arithmetic. */
function attosOf(count: number, rate: bigint): bigint {
  return count === 0 ? 0n : BigInt(count) * rate;
}

/** Rounds the total half up to nanodollars. The rounded parts add up to the total. */
export function toCost({ prompt, completion }: Attos): TokenCost {
  const promptNanos = toNanos(prompt);
  const totalNanos = toNanos(prompt + completion);
  return { promptNanos, completionNanos: totalNanos - promptNanos, totalNanos };
}

/** Parses a decimal number of dollars into 10⁻¹⁸ dollars, cutting further digits. Throws a TypeError on other text. */
export function parsePrice(decimal: string): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(decimal);
  if (match === null) throw new TypeError(`not a price: ${decimal}`);
  const [, whole = '0', fraction = ''] = match;
  return BigInt(whole) * 10n ** BigInt(DIGITS) + BigInt(fraction.slice(0, DIGITS).padEnd(DIGITS, '0'));
}

/** Returns 10⁻¹⁸ dollars as a decimal string, such as `0.0000015`; never with an exponent. */
export function formatPrice(attos: bigint): string {
  const digits = attos.toString().padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -DIGITS) : `${digits.slice(0, -DIGITS)}.${fraction}`;
}

/**
 * Returns the highest cost of that many completion tokens, rounded up. It uses the most expensive kind of text,
 * reasoning, and pictures and sound if in `modalities`.
 */
export function costOfOutput(pricing: TokenPrices, tokens: number, modalities: readonly string[]): Nanos {
  const attos = BigInt(tokens) * dearestOutput(pricing, modalities);
  return (attos + ATTOS_PER_NANO - 1n) / ATTOS_PER_NANO;
}

/** Returns how many completion tokens of the most expensive kind the money pays for; Infinity if they are free. */
export function outputTokensFor(pricing: TokenPrices, money: Nanos, modalities: readonly string[]): number {
  const rate = dearestOutput(pricing, modalities);
  if (rate === 0n) return Infinity;
  return money <= 0n ? 0 : Number((money * ATTOS_PER_NANO) / rate);
}

function dearestOutput(pricing: TokenPrices, modalities: readonly string[]): bigint {
  const { completion, reasoning, imageOutput, audioOutput } = ratesOf(pricing);
  let dearest = completion > reasoning ? completion : reasoning;
  if (modalities.includes('image') && imageOutput > dearest) dearest = imageOutput;
  if (modalities.includes('audio') && audioOutput > dearest) dearest = audioOutput;
  return dearest;
}

/** Returns a rank for sorting: the price of one token in and one out. */
export function priceRank(pricing: TokenPrices): bigint {
  const { prompt, completion } = ratesOf(pricing);
  return prompt + completion;
}

function ratesOf(pricing: TokenPrices): Rates {
  let rates = ratesOfPricing.get(pricing);
  if (rates === undefined) {
    rates = parseRates(pricing);
    ratesOfPricing.set(pricing, rates);
  }
  return rates;
}

function parseRates(pricing: TokenPrices): Rates {
  const rate = (name: keyof TokenPrices): bigint => {
    const price = pricing[name];
    if (price !== undefined) return parsePrice(price);
    const instead = PRICE_INSTEAD[name];
    return instead === undefined ? 0n : rate(instead);
  };
  return {
    prompt: rate('prompt'),
    completion: rate('completion'),
    request: rate('request'),
    image: rate('image'),
    audio: rate('audio'),
    imageInput: rate('imageInput'),
    videoInput: rate('videoInput'),
    cacheRead: rate('inputCacheRead'),
    cacheReadAudio: rate('inputAudioCache'),
    cacheWrite: rate('inputCacheWrite'),
    cacheWriteHour: rate('inputCacheWriteHour'),
    reasoning: rate('internalReasoning'),
    imageOutput: rate('imageOutput'),
    audioOutput: rate('audioOutput'),
  };
}

/** Returns 10⁻¹⁸ dollars as nanodollars, rounded half up. */
export function toNanos(attos: bigint): Nanos {
  return (attos + ATTOS_PER_NANO / 2n) / ATTOS_PER_NANO;
}
