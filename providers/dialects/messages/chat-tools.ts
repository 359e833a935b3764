import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, isFields, textOf, withoutUndefined } from '../../../domain/fields.ts';

/** Translates `tools` and `tool_choice` of a chat request to Anthropic's shape. */
export function toMessagesTools(request: Fields, unsupported: UnsupportedFields): Fields {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = request;
  if (!Array.isArray(tools) || tools.length === 0) {
    return {};
  }
  const translated = tools.map((tool, i) =>
    toTool(isFields(tool) ? tool : {}, `body.tools.${i}`, unsupported),
  );
  const toolChoice = withParallel(toChoice(choice, unsupported), parallel);
  return toolChoice === undefined ? { tools: translated } : { tools: translated, tool_choice: toolChoice };
}

const KNOWN = new Set(['name', 'description', 'parameters', 'strict']);

/** Translates one tool. Anthropic's own kinds of tools, such as `bash_20250124`, pass unchanged. */
function toTool(tool: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { type, function: described, cache_control } = tool;
  if (type === 'custom' && tool['custom'] !== undefined) unsupported.add(`${path}.type`);
  if (type !== 'function' || !isFields(described)) return tool;
  unsupported.addOthers(described, `${path}.function`, KNOWN);
  const { name, description, parameters, strict } = described;
  return withoutUndefined({
    name,
    description: description ?? undefined,
    // The adapter completes a schema that is absent or has no type.
    input_schema: parameters ?? undefined,
    strict: strict ?? undefined,
    cache_control,
  });
}

const MODES: Readonly<Record<string, string>> = { auto: 'auto', required: 'any', none: 'none' };
const OWN_TYPES = new Set(['auto', 'any', 'tool', 'none']);

function toChoice(choice: unknown, unsupported: UnsupportedFields): Fields | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === 'string') return { type: MODES[choice] ?? choice };
  const { type, function: named } = isFields(choice) ? choice : {};
  if (type === 'function' && isFields(named)) return { type: 'tool', name: named['name'] };
  if (!OWN_TYPES.has(textOf(type))) unsupported.add('body.tool_choice');
  return choice as Fields;
}

function withParallel(choice: Fields | undefined, parallel: unknown): Fields | undefined {
  if (parallel !== false || choice?.['type'] === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}
