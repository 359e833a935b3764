/** Finds all tools of a request, including tools in its conversation and in provider options. */
import { type Fields, isFields } from '../../domain/fields.ts';
import type { RoutableBody } from './routable-body.ts';

/** A tool, which the contract validated, or one that may have any form. */
export type Tool = { type?: unknown } | null;

/**
 * Returns the tools of a request with their paths: its own, those in options for one provider, and those that its
 * conversation adds. Items of a responses request add tools as `additional_tools` and `tool_search_output` (`openai`
 * 6.49.0), and blocks of a message as `tool_addition` (`@anthropic-ai/sdk` 1.12.0; both read 2026-11-27).
 */
export function toolsIn(
  body: Pick<RoutableBody, 'tools' | 'provider'> & Fields,
): [path: string, tool: Tool][] {
  const found = listed(body.tools, 'body.tools');
  for (const [slug, own] of Object.entries(body.provider?.options ?? {}))
    found.push(...listed(own['tools'], `body.provider.options.${slug}.tools`));
  for (const [index, item] of itemsOf(body['input']).entries())
    if (isFields(item)) found.push(...listed(item['tools'], `body.input.${index}.tools`));
  for (const [index, message] of listOf(body['messages']).entries()) {
    const blocks = isFields(message) ? listOf(message['content']) : [];
    for (const [position, block] of blocks.entries()) {
      const tool = isFields(block) && block['type'] === 'tool_addition' ? block['tool'] : undefined;
      const added = isFields(tool) ? tool['definition'] : undefined;
      if (isFields(added)) found.push([`body.messages.${index}.content.${position}.tool.definition`, added]);
    }
  }
  return found;
}

function listed(tools: unknown, path: string): [path: string, tool: Tool][] {
  return listOf(tools).map((tool, index) => [`${path}.${index}`, tool as Tool]);
}

/** Returns the items of an input; none for the texts and tokens of embeddings, which may be many. */
function itemsOf(input: unknown): unknown[] {
  const items = listOf(input);
  return isFields(items[0]) ? items : [];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
