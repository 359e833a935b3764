import { randomUUID } from 'node:crypto';
import type { DialectObject } from '../../../../providers/dialect-adapter.ts';

/** What every count has in Anthropic's dialect, whoever counted (`resources/messages/messages.d.ts`, `Usage`). */
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

/** A message that has begun, with every key that clients of the dialect want to find. */
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

/** A call of a tool. A vendor may give it no id: the result could not be sent back without one. */
export function newToolUse(id: string, name: unknown, input: object): DialectObject {
  return { type: 'tool_use', id: id || `toolu_${newId()}`, name, input, caller: { type: 'direct' } };
}

function newId(): string {
  return randomUUID().replaceAll('-', '');
}
