/** Reads tokens that a vendor counts by modality, as Google's interactions report them. */
import { type Amount, formatMicros, readAmount, toMicros } from '../domain/amount.ts';
import type { VendorReport } from '../domain/catalog/video-meters.ts';
import { fieldsIn, withoutUndefined } from '../domain/fields.ts';

/**
 * Returns the tokens of `output_tokens_by_modality`, `total_thought_tokens` and `total_input_tokens` (python-genai,
 * `interactions/usage.py`). A list that has the video's tokens and none of sound or text says that there were none. A
 * list without the video's tokens is no report of the output. Thoughts cost as much as text and count as text.
 */
export function readModalityTokens(usage: Record<string, unknown>): VendorReport {
  const list = usage['output_tokens_by_modality'];
  if (!Array.isArray(list)) return {};
  const counts = new Map<string, Amount | undefined>();
  for (const { modality: name, tokens: count } of fieldsIn(list)) {
    if (typeof name !== 'string') continue;
    const modality = name.toLowerCase();
    const tokens = readAmount(count);
    counts.set(modality, counts.has(modality) ? sumOf(counts.get(modality), tokens) : tokens);
  }
  const beside = (modality: string, otherwise: Amount = '0'): Amount | undefined =>
    counts.has(modality) ? counts.get(modality) : otherwise;
  const isCounted = counts.get('video') !== undefined;
  const thoughts = beside('thought', readAmount(usage['total_thought_tokens']));
  return withoutUndefined({
    video_tokens: counts.get('video'),
    audio_tokens: isCounted ? beside('audio') : undefined,
    input_tokens: readAmount(usage['total_input_tokens']),
    text_tokens: isCounted ? sumOf(beside('text'), thoughts) : undefined,
  });
}

/** Returns the sum of two counts; undefined if one of them is no number. */
function sumOf(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  return a === undefined || b === undefined ? undefined : formatMicros(toMicros(a) + toMicros(b));
}
