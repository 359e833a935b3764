/** The tokens that an upstream counted for one generation. An absent number is unknown, not zero. */
export interface TokenUsage {
  prompt: number;
  completion: number;
  /** Parts of `completion`. */
  reasoning?: number;
  completionImage?: number;
  completionAudio?: number;
  /** Parts of `prompt`. */
  cacheRead?: number;
  cacheWrite?: number;
  /** Part of `cacheWrite`. */
  cacheWriteHour?: number;
  promptAudio?: number;
  promptImage?: number;
}
