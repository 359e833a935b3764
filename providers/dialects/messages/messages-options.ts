/** Translates the options and tools of an Anthropic request to a chat, and reports options that would be lost. */
import { toChatTool, toChatToolChoice } from '../../../domain/presets/preset-tools.ts';
import { type UnsupportedFields, hasContent } from '../../../domain/unsupported-fields.ts';
import { checkContextEdits } from './context-edits.ts';
import { type Fields, fieldsIn, isFields, withoutUndefined } from '../../../domain/fields.ts';

/** Fields of a messages request that only Anthropic's own service understands. */
const WITHOUT_COUNTERPART = new Set([
  'container',
  'mcp_servers',
  'thread',
  'diagnostics',
  'user_profile_id',
  'workspace_id',
  'safeguards',
  'deferred_tools',
  // A chat with these options has answers that Anthropic's dialect cannot express.
  'n',
  'logprobs',
  'top_logprobs',
  'modalities',
  'audio',
]);

/**
 * Fields that other code translates, or that need no translation. `betas` only enables features that other fields
 * request.
 */
const TRANSLATED_SEPARATELY = new Set([
  // The value is always false here, and not every chat endpoint accepts the field.
  'store',
  'messages',
  'system',
  'stream',
  'betas',
  'context_management',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'service_tier',
  'speed',
  'inference_geo',
]);

/** Translates everything but the conversation to a chat request. Unknown fields pass unchanged. */
export function toChatOptions(request: Fields, unsupported: UnsupportedFields): Fields {
  const options: Fields = {};
  for (const name in request) {
    const value = request[name];
    if (TRANSLATED_SEPARATELY.has(name) || value === null) continue;
    if (!WITHOUT_COUNTERPART.has(name)) options[name] = value;
    else if (hasContent(value) && value !== false) unsupported.add(`body.${name}`);
  }
  checkContextEdits(request['context_management'], unsupported);
  const { stop_sequences: stop, service_tier: tier } = request;
  return {
    ...options,
    ...withoutUndefined({
      stop: hasContent(stop) ? stop : undefined,
      service_tier: tier === 'standard_only' ? 'default' : (tier ?? undefined),
      ...toOutput(request, unsupported),
    }),
    ...toTools(request, unsupported),
  };
}

/** Returns `reasoning` and `response_format` of the chat request. */
function toOutput(request: Fields, unsupported: UnsupportedFields): Fields {
  const { effort, format, ...others } = isFields(request['output_config']) ? request['output_config'] : {};
  unsupported.addOthers(others, 'body.output_config');
  const schema = isFields(format) ? format['schema'] : undefined;
  return {
    reasoning: toReasoning(request['thinking'], effort ?? undefined, unsupported),
    response_format:
      schema === undefined
        ? undefined
        : { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } },
  };
}

function toReasoning(thinking: unknown, effort: unknown, unsupported: UnsupportedFields): Fields | undefined {
  const { type, budget_tokens: budget, display } = isFields(thinking) ? thinking : {};
  if (type === 'disabled') return { effort: 'none' };
  if (type !== undefined && type !== 'enabled' && type !== 'adaptive') unsupported.add('body.thinking.type');
  const reasoning = withoutUndefined({
    effort,
    max_tokens: type === 'enabled' ? budget : undefined,
    enabled: type === 'adaptive' && effort === undefined ? true : undefined,
    exclude: display === 'omitted' ? true : undefined,
    summary: display === 'summarized' ? 'auto' : undefined,
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

function toTools({ tools, tool_choice: choice }: Fields, unsupported: UnsupportedFields): Fields {
  if (!hasContent(tools)) return {};
  const translated = fieldsIn(tools).map((tool, i) => toTool(tool, `body.tools.${i}`, unsupported));
  if (!isFields(choice)) return { tools: translated };
  const isSerial = choice['disable_parallel_tool_use'] === true;
  return {
    tools: translated,
    tool_choice: toChatToolChoice(choice),
    ...(isSerial ? { parallel_tool_calls: false } : {}),
  };
}

const KNOWN = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  // These two do not change the answer. They decide when arguments are sent, and whether the tool is loaded late, which
  // only saves context.
  'eager_input_streaming',
  'defer_loading',
]);

/**
 * Translates one tool. Anthropic's own tools, such as `bash_20250124`, are unsupported, because only Anthropic's models
 * support them.
 */
function toTool(tool: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const translated = toChatTool(tool);
  if (translated === tool) unsupported.addName(`${path}.type`, tool['type']);
  unsupported.addOthers(tool, path, KNOWN);
  return translated;
}
