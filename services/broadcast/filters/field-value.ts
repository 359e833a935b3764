/** Reads from a generation the fields that filter rules can test. */
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { FilterField } from '../../../domain/broadcast/filter-rules.ts';
import { inputTextOf } from '../../../domain/broadcast/message-text.ts';
import { nanosToUsd } from '../../../domain/money.ts';

/** Reads a field; null means that it is absent. */
type Read = (event: BroadcastEvent) => string | number | null;

/**
 * Reads each field from the generation and not from its span, so that filters can use values that the destination may
 * not see.
 */
const READ: Record<FilterField, Read> = {
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  session_id: ({ sessionId }) => sessionId,
  user_id: ({ externalUser }) => externalUser,
  api_key_name: ({ key }) => key?.name ?? null,
  finish_reason: ({ finishReason }) => finishReason,
  input: ({ content }) => content && inputTextOf(content),
  output: ({ content }) => content?.outputText ?? null,
  total_cost: ({ costNanos }) => nanosToUsd(costNanos),
  total_tokens: ({ usage }) => (usage === null ? null : usage.prompt + usage.completion),
  prompt_tokens: ({ usage }) => usage?.prompt ?? null,
  completion_tokens: ({ usage }) => usage?.completion ?? null,
};

/** Returns the function that reads a field. */
export function fieldReader(field: FilterField): Read {
  return READ[field];
}
