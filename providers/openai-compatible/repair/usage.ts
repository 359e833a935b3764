/** Reads the counts of tokens that servers send as text, in other places, or by other rules. */
import { type Fields, isFields } from '../../../domain/fields.ts';
import type { OpenAiUsage } from '../../chat-adapter.ts';
import { countsFromText, isCount, isDetails } from '../../counts.ts';
import type { NoteRepair } from '../../repairs.ts';

/**
 * Reads the counts of an answer or a chunk into `usage`, in place. Counts as text become numbers. Removes a usage whose
 * counts are invalid, because the bill depends on them.
 */
export function repairUsage(body: Fields, note: NoteRepair): void {
  const usage = body['usage'] ?? takeUsageOfChoice(body);
  if (usage === undefined || usage === null) return;
  countsFromText(usage, note);
  if (!isUsage(usage)) return void delete body['usage'];
  body['usage'] = usage;
  nameCachedTokens(usage);
  includeThoughts(usage);
}

/** Takes the usage out of a choice, where Moonshot puts it in the last chunk of a stream. */
function takeUsageOfChoice({ choices }: Fields): unknown {
  const choice = Array.isArray(choices)
    ? choices.find((each) => isFields(each) && isFields(each['usage']))
    : undefined;
  if (!isFields(choice)) return undefined;
  const { usage } = choice;
  delete choice['usage'];
  return usage;
}

/**
 * Gives cached tokens their usual names and place. DeepSeek, Moonshot and Mistral count those that were read beside the
 * prompt's tokens, and Alibaba has another name for those that were written.
 */
function nameCachedTokens(usage: OpenAiUsage): void {
  const { prompt_cache_hit_tokens: hits, cached_tokens: cached, num_cached_tokens: ofMistral } = usage;
  const details = usage.prompt_tokens_details ?? {};
  const read = !isCount(details['cached_tokens']) && [hits, cached, ofMistral].find(isCount);
  const written = !isCount(details['cache_write_tokens']) && details['cache_creation_input_tokens'];
  if (!read && !written) return;
  usage.prompt_tokens_details = {
    ...details,
    ...(read && { cached_tokens: read }),
    ...(isCount(written) && { cache_write_tokens: written }),
  };
}

/**
 * Adds the tokens of thoughts to those of the answer, where they belong, if the total says that they stand beside it.
 * xAI counts so (docs.x.ai, "Consumption and Rate Limits", quoted by Vercel's client).
 */
function includeThoughts(usage: OpenAiUsage): void {
  const { prompt_tokens: prompt, completion_tokens: answer, total_tokens: total } = usage;
  const thoughts = usage.completion_tokens_details?.['reasoning_tokens'];
  if (!isCount(thoughts) || thoughts === 0 || !isCount(prompt) || !isCount(answer)) return;
  if (total === prompt + answer + thoughts) usage.completion_tokens = answer + thoughts;
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
