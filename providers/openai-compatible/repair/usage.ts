/** Repairs the counts of tokens of servers that send numbers as text. */
import { type Fields, isFields } from '../../../domain/fields.ts';
import type { OpenAiUsage } from '../../chat-adapter.ts';
import { countsFromText, isCount, isDetails } from '../../counts.ts';
import type { NoteRepair } from '../../repairs.ts';

/**
 * Makes the counts of a usage numbers, in place. Removes a usage whose counts are invalid, because the bill depends on
 * them.
 */
export function repairUsage(body: Fields, note: NoteRepair): void {
  const { usage } = body;
  if (usage === undefined || usage === null) return;
  countsFromText(usage, note);
  if (!isUsage(usage)) delete body['usage'];
}

function isUsage(value: unknown): value is OpenAiUsage {
  return (
    isFields(value) &&
    isCount(value['prompt_tokens']) &&
    (value['completion_tokens'] === undefined || isCount(value['completion_tokens'])) &&
    isDetails(value['prompt_tokens_details']) &&
    isDetails(value['completion_tokens_details'])
  );
}
