/** Translates token counts between the Responses dialect and chat. */
import type { OpenAiUsage } from '../../chat-adapter.ts';
import { type Fields, isFields } from '../../../domain/fields.ts';

/**
 * Translates a chat's usage, with all counted parts. Two of the parts are always present, because clients expect them.
 */
export function toResponsesUsage(usage: OpenAiUsage): Fields {
  const { prompt_tokens: input, completion_tokens: output = 0 } = usage;
  const tools = usage['server_tool_use_details'];
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, ...withoutNulls(usage.prompt_tokens_details) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0, ...withoutNulls(usage.completion_tokens_details) },
    total_tokens: input + output,
    ...(isFields(tools) ? { server_tool_use_details: tools } : {}),
    ...(usage.calls === undefined ? {} : { calls: usage.calls }),
  };
}

/** Translates a response's usage to a chat's; undefined when there are no counts. */
export function toChatUsage(usage: unknown): OpenAiUsage | undefined {
  if (!isFields(usage)) return undefined;
  const { input_tokens: input, output_tokens: output, server_tool_use_details: tools } = usage;
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: detailsOf(usage['input_tokens_details']),
    completion_tokens_details: detailsOf(usage['output_tokens_details']),
    ...(isFields(tools) ? { server_tool_use_details: tools } : {}),
    ...(usage['calls'] === undefined ? {} : { calls: usage['calls'] }),
  };
}

function detailsOf(details: unknown): Fields | null {
  return isFields(details) ? details : null;
}

function withoutNulls(details: Fields | null | undefined): Fields {
  const counts = Object.entries(details ?? {}).filter(
    ([, count]) => typeof count === 'number' || isFields(count),
  );
  return Object.fromEntries(counts);
}
