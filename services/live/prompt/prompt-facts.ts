/** Defines the facts about a prompt that are known before any upstream has counted its tokens. */
import type { Modality } from '../../../domain/modality.ts';
import type { PricedRequest } from '../applicable-prices.ts';

/** Facts about the prompt of a request, as one target receives it. */
export interface PromptFacts extends PricedRequest {
  /**
   * The tokens that a model reads, pictures and other media included. Vendors charge nothing for ids, parameters and
   * metadata, so they are left out. Counts a request whose upstream does not count, or whose caller left.
   */
  estimatedTokens: number;
  /** The part of `estimatedTokens` that is sound. */
  estimatedAudio: number;
  /** The tokens to reserve money for, without pictures. */
  reserved: ReservedTokens;
  /** The highest possible number of tokens, without pictures: one for each byte. Infinity with compressed media. */
  mostTokens: number;
  images: number;
  /** The longest time for which the request asks the vendor to keep the prompt in its cache. */
  cacheWrite: CacheWrite;
  /** True when the request lets the vendor summarize the conversation first, for which it reads all of it once more. */
  mayBeCompacted?: boolean;
  modalities: Modality[];
  /** True when the prompt has anything besides text. Only then may it contain URLs. */
  hasMedia: boolean;
}

export interface ReservedTokens {
  /** The tokens of all text in all fields of the request. */
  text: number;
  /** The tokens of sound. Infinity when the request does not contain the sound. */
  audio: number;
  /** The tokens of videos and files. Infinity when the request does not contain one of them. */
  media: number;
}

export type CacheWrite = 'none' | 'minutes' | 'hour';

/** The media of each type of part. A map, because the caller chooses the types, such as `constructor`. */
export const MODALITY_OF_PART: ReadonlyMap<unknown, Modality> = new Map<unknown, Modality>([
  ['text', 'text'],
  ['image_url', 'image'],
  ['input_audio', 'audio'],
  ['video_url', 'video'],
  ['file', 'file'],
  ['input_image', 'image'],
  ['input_video', 'video'],
  ['input_file', 'file'],
  ['image', 'image'],
  ['audio_url', 'audio'],
  ['document_url', 'file'],
  ['document', 'file'],
  ['video', 'video'],
  ['audio', 'audio'],
]);
