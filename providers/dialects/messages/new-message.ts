/** Creates the empty messages and tool calls from which answers in Anthropic's dialect are built. */
import { randomUUID } from 'node:crypto';
import type { DialectObject } from '../../dialect-adapter.ts';

/** The fields of Anthropic's usage that translated answers leave null (`resources/messages/messages.d.ts`, `Usage`). */
export const USAGE_WITHOUT_COUNTS = {
  cache_creation: null,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
} as const;

const NOTHING_COUNTED = {
  ...USAGE_WITHOUT_COUNTS,
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

/** Returns the start of a message, with every key that clients of the dialect expect. */
export function newMessage(id: string | undefined, model: unknown): DialectObject {
  return {
    id: id ?? `msg_${newId()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: { ...NOTHING_COUNTED },
  };
}

/**
 * Returns a tool call. It gets an id when the vendor gave none, because the caller needs one to send the result back.
 */
export function newToolUse(id: string, name: unknown, input: object): DialectObject {
  return { type: 'tool_use', id: id || `toolu_${newId()}`, name, input, caller: { type: 'direct' } };
}

function newId(): string {
  return randomUUID().replaceAll('-', '');
}
