import type { Json } from '../ledger/broadcast-facts.ts';
import { isRecord } from './message-text.ts';

/** Returns the tools of a request in the form of the conventions. Tools of other kinds stay as they are. */
export function toToolDefinitions(tools: readonly Json[]): Json[] {
  return tools.map((tool) => {
    if (!isRecord(tool)) return tool;
    const { function: described, input_schema: schema, ...fields } = tool;
    if (isRecord(described)) return { type: 'function', ...described };
    if (schema === undefined) return tool;
    return { ...fields, type: 'function', parameters: schema };
  });
}
