/** Translates the tools of Anthropic's dialect to those of Bedrock's Converse. */
import { type Fields, fieldsIn, fieldsOf, withoutUndefined } from '../../domain/fields.ts';
import { hasContent, type UnsupportedFields } from '../../domain/unsupported-fields.ts';
import { cachePoints } from './converse-blocks.ts';
import type { ModelFamily } from './model-family.ts';

/**
 * Returns the tools of a request, and Claude's own `choice`, which Converse cannot express. Converse refuses a
 * conversation with tool calls and without tools, so the tools that such a conversation calls are named again, and
 * Claude may not call them.
 */
export function toConverseTools(
  { tools, tool_choice: given, messages }: Fields,
  family: ModelFamily,
  unsupported: UnsupportedFields,
): { toolConfig?: Fields; choice?: Fields } {
  const listed = fieldsIn(tools).flatMap((tool, i) => toTool(tool, `body.tools.${i}`, unsupported));
  const called = namesOfCalls(messages);
  const choice = fieldsOf(given);
  const mayCall = listed.length > 0 && choice['type'] !== 'none';
  if (!mayCall && called.length === 0) return {};
  const known = listed.length > 0 ? listed : called.map(unknownTool);
  if (!mayCall && family === 'claude') return { toolConfig: { tools: known }, choice: { type: 'none' } };
  if (listed.length > 0 && !mayCall) unsupported.add('body.tool_choice');
  if (choice['disable_parallel_tool_use'] !== true || !mayCall)
    return { toolConfig: withoutUndefined({ tools: known, toolChoice: toChoice(choice) }) };
  if (family === 'claude') return { toolConfig: { tools: known }, choice: { type: 'auto', ...choice } };
  unsupported.add('body.parallel_tool_calls');
  return {};
}

function toTool(tool: Fields, path: string, unsupported: UnsupportedFields): Fields[] {
  const { type, name, description, input_schema: json, strict } = tool;
  if (hasContent(type) && type !== 'custom') {
    unsupported.addName(`${path}.type`, type);
    return [];
  }
  const toolSpec = withoutUndefined({
    name,
    description: hasContent(description) ? description : undefined,
    inputSchema: { json },
    strict: strict === true ? true : undefined,
  });
  return [{ toolSpec }, ...cachePoints(tool)];
}

function toChoice({ type, name }: Fields): Fields | undefined {
  if (type === 'any') return { any: {} };
  return type === 'tool' ? { tool: { name } } : undefined;
}

function namesOfCalls(messages: unknown): unknown[] {
  const blocks = fieldsIn(messages).flatMap(({ content }) => fieldsIn(content));
  return [...new Set(blocks.flatMap(({ type, name }) => (type === 'tool_use' ? [name] : [])))];
}

function unknownTool(name: unknown): Fields {
  return { toolSpec: { name, inputSchema: { json: { type: 'object' } } } };
}
