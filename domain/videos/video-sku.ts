/** Finds the price or number of units that fits a video best, by the names of OpenRouter's SKUs. */
import type { ShapedRequest } from './video-request.ts';

/** The facts about a request on which prices depend. */
export interface PricedVideo extends ShapedRequest {
  /** True: the video is made from another video. */
  hasVideoInput: boolean;
}

/**
 * Returns the most specific entry of a family such as `duration_seconds`. The endings, most specific first:
 * `_<resolution>_with_video_input`, `_with_video_input`, `_with_audio_<resolution>`, `_<resolution>_with_audio`,
 * `_<resolution>`, `_with_audio`, none. A video without sound has `_without_audio` in place of `_with_audio`.
 * Resolutions may be written in lower case.
 */
export function mostSpecific(
  family: string,
  video: PricedVideo,
  entries: Record<string, string>,
): string | undefined {
  return endingsOf(video)
    .map((ending) => entries[`${family}${ending}`])
    .find((entry) => entry !== undefined);
}

function endingsOf({ resolution, generateAudio, hasVideoInput }: PricedVideo): string[] {
  const sizes = resolution === undefined ? [] : [`_${resolution}`, `_${resolution.toLowerCase()}`];
  const sound = generateAudio ? '_with_audio' : '_without_audio';
  const input = '_with_video_input';
  return [
    ...(hasVideoInput ? [...sizes.map((size) => size + input), input] : []),
    ...sizes.flatMap((size) => [sound + size, size + sound]),
    ...sizes,
    sound,
    '',
  ];
}
