/** Validates upstreams' token counts for billing, and shows counts and cost to callers. */
import { isFields } from '../../domain/fields.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { TokenCost } from '../../domain/catalog/token-price.ts';
import type { OpenAiUsage } from '../../providers/chat-adapter.ts';

/** Returns whether an upstream counted prompt and answer of a text. No prompt has zero tokens. */
export function hasTextCounts({
  prompt_tokens: prompt,
  completion_tokens: completion,
}: OpenAiUsage): boolean {
  return countOf(prompt) > 0 && completion !== undefined;
}

/** Returns the upstream's counts of a text. Those of prompt and answer are estimated if they are missing. */
export function toTextUsage(usage: OpenAiUsage, estimate: () => TokenUsage): TokenUsage {
  const counted = toTokenUsage(usage);
  if (hasTextCounts(usage)) return counted;
  const { prompt, completion } = estimate();
  return {
    ...counted,
    prompt: counted.prompt > 0 ? counted.prompt : prompt,
    completion: usage.completion_tokens === undefined ? completion : counted.completion,
    calls: undefined,
  };
}

/** Returns the upstream's counts. Invalid counts become zero. */
export function toTokenUsage(usage: OpenAiUsage): TokenUsage {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  const counted: TokenUsage = {
    prompt: countOf(usage.prompt_tokens),
    completion: countOf(usage.completion_tokens),
  };
  const inPrompt = partsOf(counted.prompt);
  const cacheRead = inPrompt(prompt?.['cached_tokens']);
  const cacheWrite = inPrompt(prompt?.['cache_write_tokens']);
  // Cached sound is part of both counts, and is charged as cached.
  const cacheReadAudio = Math.min(cachedAudioIn(prompt), countOf(prompt?.['audio_tokens']), cacheRead);
  const promptAudio = inPrompt(countOf(prompt?.['audio_tokens']) - cacheReadAudio);
  const promptImage = inPrompt(prompt?.['image_tokens']);
  const promptVideo = inPrompt(prompt?.['video_tokens']);
  const inCompletion = partsOf(counted.completion);
  const reasoning = inCompletion(completion?.['reasoning_tokens']);
  const completionImage = inCompletion(completion?.['image_tokens']);
  const completionAudio = inCompletion(completion?.['audio_tokens']);
  if (cacheRead > 0) counted.cacheRead = cacheRead;
  if (cacheReadAudio > 0) counted.cacheReadAudio = cacheReadAudio;
  if (cacheWrite > 0) counted.cacheWrite = cacheWrite;
  const cacheWriteHour = Math.min(countOf(prompt?.['cache_write_1h_tokens']), cacheWrite);
  if (cacheWriteHour > 0) counted.cacheWriteHour = cacheWriteHour;
  if (promptAudio > 0) counted.promptAudio = promptAudio;
  if (promptImage > 0) counted.promptImage = promptImage;
  if (promptVideo > 0) counted.promptVideo = promptVideo;
  if (reasoning > 0) counted.reasoning = reasoning;
  if (completionImage > 0) counted.completionImage = completionImage;
  if (completionAudio > 0) counted.completionAudio = completionAudio;
  const calls = callsOf(usage, counted);
  if (calls !== undefined) counted.calls = calls;
  return counted;
}

/** Returns the calls of which a usage is the sum; undefined for a single call, or if they do not add up to it. */
function callsOf({ calls }: OpenAiUsage, { prompt, completion }: TokenUsage): TokenUsage[] | undefined {
  if (!Array.isArray(calls)) return undefined;
  const counted = calls
    .filter(isFields)
    .map((call) => toTokenUsage({ ...(call as OpenAiUsage), calls: null }));
  const sum = (name: 'prompt' | 'completion') => counted.reduce((total, call) => total + call[name], 0);
  return counted.length > 1 && sum('prompt') === prompt && sum('completion') === completion
    ? counted
    : undefined;
}

/**
 * Returns a function that limits the parts of a count, so that their sum never exceeds the whole. Parts have their own
 * prices, and an upstream's inconsistent counts must not raise the bill.
 */
function partsOf(whole: number): (value: unknown) => number {
  let left = whole;
  return (value) => {
    const part = Math.min(countOf(value), left);
    left -= part;
    return part;
  };
}

/**
 * Returns the cached tokens of sound, which OpenAI counts in `cached_tokens_details` (openai-node 6.49,
 * `src/resources/realtime/realtime.ts`).
 */
function cachedAudioIn(details: OpenAiUsage['prompt_tokens_details']): number {
  const ofCached = details?.['cached_tokens_details'];
  return isFields(ofCached) ? countOf(ofCached['audio_tokens']) : 0;
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}

function isCounted(billed: number, count: unknown): boolean {
  return billed === 0 || countOf(count) > 0;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The usage that the caller gets: the counts and the cost. */
export type ShownUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cost: number;
  is_byok: boolean;
  is_estimated?: true;
  cost_details: {
    upstream_inference_cost: number | null;
    upstream_inference_prompt_cost: number;
    upstream_inference_completions_cost: number;
  };
  prompt_tokens_details: { [name: string]: number | Counts };
  completion_tokens_details: Counts;
  server_tool_use_details?: Counts;
};

type Counts = Record<string, number>;

/** Counts without their own price, which are passed on when the upstream sent them. */
const OTHER_PROMPT_PARTS = ['image_tokens', 'video_tokens', 'file_tokens', 'text_tokens'] as const;
const OTHER_COMPLETION_PARTS = ['accepted_prediction_tokens', 'rejected_prediction_tokens'] as const;
const SERVER_TOOL_COUNTS = ['web_search_requests', 'tool_calls_requested', 'tool_calls_executed'] as const;

/**
 * Presents usage and its price. `counted` is the upstream's usage; undefined when the usage was estimated. The customer
 * pays a target of their own directly, so the gateway charges nothing for it.
 */
export function showUsage(
  usage: TokenUsage,
  cost: TokenCost,
  counted: OpenAiUsage | undefined,
  { own }: Pick<Target, 'own'>,
): ShownUsage {
  const price = nanosToUsd(cost.totalNanos);
  const isByok = own !== undefined;
  const shown: ShownUsage = {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    cost: isByok ? 0 : price,
    is_byok: isByok,
    cost_details: {
      upstream_inference_cost: isByok ? price : null,
      upstream_inference_prompt_cost: nanosToUsd(cost.promptNanos),
      upstream_inference_completions_cost: nanosToUsd(cost.completionNanos),
    },
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: usage.cacheWrite ?? 0,
      audio_tokens: (usage.promptAudio ?? 0) + (usage.cacheReadAudio ?? 0),
      ...(usage.cacheReadAudio && { cached_tokens_details: { audio_tokens: usage.cacheReadAudio } }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning ?? 0,
      audio_tokens: usage.completionAudio ?? 0,
      image_tokens: usage.completionImage ?? 0,
    },
  };
  if (counted === undefined) return { ...shown, is_estimated: true };
  if (
    !isCounted(usage.prompt, counted.prompt_tokens) ||
    !isCounted(usage.completion, counted.completion_tokens)
  )
    shown.is_estimated = true;
  addCounts(shown.prompt_tokens_details, counted.prompt_tokens_details, OTHER_PROMPT_PARTS);
  addCounts(shown.completion_tokens_details, counted.completion_tokens_details, OTHER_COMPLETION_PARTS);
  const ofTools = counted['server_tool_use_details'] ?? counted['server_tool_use'];
  if (typeof ofTools === 'object') {
    const counts: Counts = {};
    addCounts(counts, ofTools, SERVER_TOOL_COUNTS);
    if (Object.keys(counts).length > 0) shown.server_tool_use_details = counts;
  }
  return shown;
}

/** Adds the named counts that are valid. */
function addCounts(
  counts: { [name: string]: number | Counts },
  upstreamCounts: object | null | undefined,
  names: readonly string[],
): void {
  if (upstreamCounts === null || upstreamCounts === undefined) return;
  for (const name of names) {
    const count = (upstreamCounts as Record<string, unknown>)[name];
    if (isCount(count)) counts[name] = count;
  }
}
