import type { OutcomeFacts } from '../../services/live/pipeline/run-live.ts';

/** Returns the headers of every answer of a text generation, streamed or not. */
export function textAnswerHeaders({
  generationId,
  outputLimit,
  droppedTools = [],
  droppedFields = [],
}: OutcomeFacts): Record<string, string> {
  return {
    'x-generation-id': generationId,
    ...(outputLimit === undefined ? {} : { 'x-output-limit': `${outputLimit}` }),
    ...(droppedTools.length === 0 ? {} : { 'Sluice-Dropped-Tools': droppedTools.join(', ') }),
    ...(droppedFields.length === 0 ? {} : { 'Sluice-Dropped-Fields': droppedFields.join(', ') }),
  };
}
