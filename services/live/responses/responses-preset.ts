/** Applies a preset to a request in the Responses dialect. */
import { mergePreset } from '../../../domain/presets/preset-merge.ts';
import type { PresetConfig } from '../../../domain/presets/preset.ts';
import { type Fields, fieldsIn, isFields, textOf, withoutUndefined } from '../../../domain/fields.ts';

/**
 * Completes a responses request by its preset, by the rules of `mergePreset`. The preset is stored as a chat request.
 * Its prompt comes before the request's own instructions, unless these begin with it.
 */
export function mergeResponsesPreset(
  config: PresetConfig,
  systemPrompt: string | null,
  request: Fields,
): Fields {
  const merged = mergePreset(toResponsesFields(config), null, request);
  const own = textOf(request['instructions']);
  if (systemPrompt !== null && !own.startsWith(systemPrompt))
    merged['instructions'] = own === '' ? systemPrompt : `${systemPrompt}\n\n${own}`;
  return merged;
}

function toResponsesFields(config: PresetConfig): Fields {
  const {
    max_tokens,
    max_completion_tokens,
    response_format,
    verbosity,
    reasoning,
    reasoning_effort,
    tools,
    tool_choice,
    logprobs: _logprobs,
    ...same
  } = config;
  const text = withoutUndefined({ format: toTextFormat(response_format), verbosity });
  const thinking = reasoning ?? (reasoning_effort === undefined ? undefined : { effort: reasoning_effort });
  return withoutUndefined({
    ...same,
    max_output_tokens: max_completion_tokens ?? max_tokens,
    text: Object.keys(text).length === 0 ? undefined : text,
    reasoning: thinking,
    tools: Array.isArray(tools) ? fieldsIn(tools).map(flat) : tools,
    tool_choice: isFields(tool_choice) ? flat(tool_choice) : tool_choice,
  });
}

function toTextFormat(format: unknown): unknown {
  if (!isFields(format) || !isFields(format['json_schema'])) return format;
  return { type: format['type'], ...format['json_schema'] };
}

/** Returns a tool or a tool choice without the object in which a chat wraps it. */
function flat(tool: Fields): Fields {
  const { function: inner, allowed_tools: allowed, ...rest } = tool;
  if (isFields(allowed))
    return { ...rest, ...allowed, tools: fieldsIn(allowed['tools']).map((one) => flat(one)) };
  return isFields(inner) ? { ...rest, ...inner } : tool;
}
