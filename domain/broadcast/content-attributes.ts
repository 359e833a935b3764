import { type Attributes, putAttribute } from './attribute.ts';
import type { Json } from '../ledger/broadcast-facts.ts';
import { isRecord, inputTextOf } from './message-text.ts';
import { toSpanMessages } from './messages.ts';
import { GEN_AI, SLUICE } from './semantic-names.ts';
import type { BroadcastSpan } from './span.ts';

/**
 * Adds prompt and answer as JSON texts in attributes. Several tools drop a span's events, and the others read
 * structured attribute values differently.
 */
export function putContent(
  attributes: Attributes,
  { content, operation, isContentDropped }: BroadcastSpan,
): void {
  putAttribute(attributes, SLUICE.contentDropped, isContentDropped || undefined);
  if (content === undefined) return;
  const { input, output, system, tools } = content;
  putAttribute(attributes, GEN_AI.inputMessages, jsonOf(toSpanMessages(input)));
  if (system)
    putAttribute(attributes, GEN_AI.systemInstructions, jsonOf([{ type: 'text', content: system }]));
  if (tools) putAttribute(attributes, GEN_AI.toolDefinitions, jsonOf(toToolDefinitions(tools)));
  if (operation === 'retrieval') {
    putAttribute(attributes, GEN_AI.retrievalQuery, inputTextOf(content));
    putAttribute(attributes, GEN_AI.retrievalDocuments, jsonOf(output.map(toDocument)));
  } else {
    putAttribute(attributes, GEN_AI.outputMessages, jsonOf(toSpanMessages(output)));
  }
  putAttribute(attributes, SLUICE.contentTruncated, content.isTruncated === true || undefined);
}

/** Converts a result of a rerank call. Its document is identified by its index in the request. */
function toDocument(result: Json): Json {
  if (!isRecord(result)) return result;
  const { index, relevance_score: score, ...fields } = result;
  return {
    ...fields,
    ...(typeof index === 'number' ? { id: String(index) } : {}),
    ...(score === undefined ? {} : { score }),
  };
}

function jsonOf(list: readonly unknown[]): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list);
}

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
