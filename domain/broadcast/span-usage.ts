import type { TokenUsage } from '../token-usage.ts';
import type { SpanOperation, SpanUsage } from './span.ts';

/** Returns the counted tokens. A kind that the upstream did not report is absent. */
export function spanUsageOf(usage: TokenUsage, operation: SpanOperation): SpanUsage {
  // Embeddings have no output tokens. Their count is 0 because the field is required.
  const hasOutput = operation !== 'embeddings' || usage.completion > 0;
  return {
    input: usage.prompt,
    ...(hasOutput ? { output: usage.completion } : {}),
    total: usage.prompt + usage.completion,
    ...optional('cacheRead', usage.cacheRead),
    ...optional('cacheWrite', usage.cacheWrite),
    ...optional('reasoning', usage.reasoning),
    ...optional('inputAudio', usage.promptAudio),
    ...optional('inputImage', usage.promptImage),
    ...optional('outputAudio', usage.completionAudio),
    ...optional('outputImage', usage.completionImage),
  };
}

function optional(kind: keyof SpanUsage, tokens: number | undefined): SpanUsage {
  return tokens === undefined ? {} : { [kind]: tokens };
}
