import { UpstreamError } from '../reply.ts';

/**
 * Text in pieces that stand for tokens: words with the space before them, long ones cut. No vendor counts so; it
 * is only steady and about as coarse.
 */
export function tokenize(text: string): string[] {
  return text.match(/\s*\S{1,8}|\s+$/gu) ?? [];
}

export function contextExceeded(limit: number, tokens: number, param: string): UpstreamError {
  const message = `This model's maximum context length is ${limit} tokens, but the input has ${tokens}.`;
  return new UpstreamError(400, message, { code: 'context_length_exceeded', param });
}
