import type { OutcomeFacts } from '../../services/generations/pipeline/run-live.ts';

/** The headers that every answer of a text generation has, streamed or not. */
export function textAnswerHeaders({ generationId, outputLimit }: OutcomeFacts): Record<string, string> {
  return {
    'x-generation-id': generationId,
    ...(outputLimit === undefined ? {} : { 'x-output-limit': `${outputLimit}` }),
  };
}
