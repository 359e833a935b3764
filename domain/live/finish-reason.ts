/** Maps the finish reasons of all vendors to the five that callers get. */

type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/** The finish reasons of vendors and of other gateways, in lower case. */
const FINISH_REASONS = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['error', 'error'],
  ['function_call', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
  ['blocklist', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['spii', 'content_filter'],
  ['image_safety', 'content_filter'],
  ['refusal', 'content_filter'],
  ['malformed_function_call', 'error'],
  ['abort', 'error'],
  ['insufficient_system_resource', 'error'],
]);

/**
 * Returns the gateway's finish reason, one of five. An unknown reason becomes `stop`, because it ended the answer as
 * well.
 */
export function normalFinishReason(reason: string | null | undefined): FinishReason | null {
  if (reason === null || reason === undefined) return null;
  return FINISH_REASONS.get(reason) ?? FINISH_REASONS.get(reason.toLowerCase()) ?? 'stop';
}

/** Replaces a choice's finish reason in place and keeps the upstream's beside it as `native_finish_reason`. */
export function nameFinish(choice: { finish_reason?: string | null; [field: string]: unknown }): void {
  const { finish_reason: reason } = choice;
  choice.finish_reason = normalFinishReason(reason);
  if (typeof reason === 'string') choice['native_finish_reason'] ??= reason;
}

/** Returns the finish reason of the vendor behind the upstream; null when there was none. */
export function nativeFinishOf(choice: { [field: string]: unknown } | undefined): string | null {
  const native = choice?.['native_finish_reason'];
  return typeof native === 'string' ? native : null;
}
