/** Sorts the fields of a chat request for dialects that have other names for them. */
import type { Fields } from '../../domain/fields.ts';
import { hasContent, type UnsupportedFields } from '../../domain/unsupported-fields.ts';

/** The fields that every translation of a chat reads by itself. */
export const READ_FIELDS = [
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'temperature',
  'modalities',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'service_tier',
];

/** Fields that few vendors have, each with the value that changes nothing. */
export const RARE_FIELDS: Readonly<Record<string, unknown>> = {
  logprobs: false,
  top_logprobs: 0,
  logit_bias: undefined,
  repetition_penalty: 1,
  min_p: 0,
  top_a: 0,
  store: false,
  verbosity: 'medium',
  audio: undefined,
  functions: undefined,
  function_call: undefined,
  web_search_options: undefined,
};

/**
 * Returns the fields that are not among `read`, such as a vendor's own. Those of `lacking` are left out, and reported
 * if they have another value than the one that changes nothing.
 */
export function otherFields(
  request: Fields,
  { read, lacking }: { read: ReadonlySet<string>; lacking: Readonly<Record<string, unknown>> },
  unsupported: UnsupportedFields,
): Fields {
  const others: Fields = {};
  for (const name in request) {
    const value = request[name];
    if (read.has(name) || value === null) continue;
    if (!Object.hasOwn(lacking, name)) others[name] = value;
    else if (hasContent(value) && value !== lacking[name]) unsupported.add(`body.${name}`);
  }
  return others;
}
