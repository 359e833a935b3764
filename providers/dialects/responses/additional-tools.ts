/** Finds the tools that items of the input add to those of a responses request. The Codex CLI sends its tools so. */
import { type Fields, fieldsIn, isFields } from '../../../domain/fields.ts';

/** The type of an item that only adds tools. A chat gets its tools, and no message for it. */
export const ADDITIONAL_TOOLS = 'additional_tools';

/** The types of items whose tools the model may call from then on. */
const ADDING_TOOLS = new Set<unknown>([ADDITIONAL_TOOLS, 'tool_search_output']);

export function addsTools(item: unknown): item is Fields {
  return isFields(item) && ADDING_TOOLS.has(item['type']);
}

/** Returns each list of tools of a responses request with its path: its own list, then those of its items. */
export function toolListsIn({ tools, input }: Fields): [path: string, tools: Fields[]][] {
  const lists: [string, Fields[]][] = [['body.tools', fieldsIn(tools)]];
  for (const [index, item] of (Array.isArray(input) ? (input as unknown[]) : []).entries())
    if (addsTools(item)) lists.push([`body.input.${index}.tools`, fieldsIn(item['tools'])]);
  return lists;
}

/** Returns all tools of a responses request in one list. */
export function allToolsIn(request: Fields): Fields[] {
  return toolListsIn(request).flatMap(([, tools]) => tools);
}
