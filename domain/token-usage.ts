/** The tokens that an upstream counted for one generation. An absent number is unknown, not zero. */
export interface TokenUsage {
  prompt: number;
  completion: number;
  /** Parts of `completion`. */
  reasoning?: number | undefined;
  completionImage?: number | undefined;
  completionAudio?: number | undefined;
  /** Parts of `prompt`. */
  cacheRead?: number | undefined;
  /** Part of `cacheRead`, and no part of `promptAudio`. */
  cacheReadAudio?: number | undefined;
  cacheWrite?: number | undefined;
  /** Part of `cacheWrite`. */
  cacheWriteHour?: number | undefined;
  promptAudio?: number | undefined;
  promptImage?: number | undefined;
  promptVideo?: number | undefined;
  /** The vendor's calls that add up to this usage, if it counted several. They decide about steps of length. */
  calls?: readonly TokenUsage[] | undefined;
}
