/** Translates Gemini's counts of tokens to OpenAI's. */
import { type Fields, fieldsIn } from '../../domain/fields.ts';
import type { OpenAiUsage } from '../chat-adapter.ts';
import { countsFromText, isCount } from '../counts.ts';
import type { NoteRepair } from '../repairs.ts';

/**
 * Translates `usageMetadata` (ai.google.dev/api/generate-content, quoted by Vercel's client, read 2026-11-28). The
 * prompt contains the cached tokens; thoughts and the results of tools stand beside the others. Absent counts are 0.
 * Returns undefined if a count is no count, so that the gateway estimates the tokens.
 */
export function usageToChat(counted: Fields, note: NoteRepair): OpenAiUsage | undefined {
  for (const counts of [counted, ...DETAILS.flatMap((name) => fieldsIn(counted[name]))])
    countsFromText(counts, note);
  const [prompt, tools, cached, answer, thoughts] = COUNTS.map((name) => counted[name] ?? 0);
  if (!isCount(prompt) || !isCount(tools) || !isCount(cached)) return undefined;
  if (!isCount(answer) || !isCount(thoughts)) return undefined;
  const cachedAudio = byModality(counted['cacheTokensDetails'])['audio_tokens'] ?? 0;
  return {
    prompt_tokens: prompt + tools,
    completion_tokens: answer + thoughts,
    total_tokens: prompt + tools + answer + thoughts,
    prompt_tokens_details: {
      cached_tokens: cached,
      ...byModality(counted['promptTokensDetails']),
      ...(cachedAudio > 0 && { cached_tokens_details: { audio_tokens: cachedAudio } }),
    },
    completion_tokens_details: {
      reasoning_tokens: thoughts,
      ...byModality(counted['candidatesTokensDetails']),
    },
  };
}

const COUNTS = [
  'promptTokenCount',
  'toolUsePromptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
];
const DETAILS = ['cacheTokensDetails', 'promptTokensDetails', 'candidatesTokensDetails'];

const NAMES: Record<string, string> = { AUDIO: 'audio_tokens', IMAGE: 'image_tokens', VIDEO: 'video_tokens' };

function byModality(details: unknown): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { modality, tokenCount } of fieldsIn(details)) {
    const name = NAMES[String(modality)];
    if (name !== undefined && isCount(tokenCount)) counts[name] = (counts[name] ?? 0) + tokenCount;
  }
  return counts;
}
