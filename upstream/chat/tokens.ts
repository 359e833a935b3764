import { UpstreamError } from '../reply.ts';

/**
 * Splits text into pieces that stand for tokens: words with the space before them; long words are cut. No vendor counts
 * like this, but the counts are stable and realistic.
 */
export function tokenize(text: string): string[] {
  return text.match(/\s*\S{1,8}|\s+$/gu) ?? [];
}

export function contextExceeded(limit: number, tokens: number, param: string): UpstreamError {
  const message = `This model's maximum context length is ${limit} tokens, but the input has ${tokens}.`;
  return new UpstreamError(400, message, { code: 'context_length_exceeded', param });
}
