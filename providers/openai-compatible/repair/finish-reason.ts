/** Reads and corrects the finish reason of answers. */

interface Finished {
  finish_reason?: string | null;
  [field: string]: unknown;
}

/** The finish reasons with which servers end an answer that calls tools, although it is complete. */
const COMPLETE = new Set([
  'stop',
  'end_turn',
  'eos',
  'eos_token',
  'completed',
  'complete',
  'done',
  'function_call',
]);

/** The finish reasons of answers that call tools. */
const CALLS = new Set(['tool_calls', 'function_call']);

/** Matches the texts that some servers send for the absence of a finish reason. */
const NO_REASON = /^(?:null|none)?$/i;

/** Returns the finish reason that a vendor's value states; null for none. */
export function statedReason(value: unknown): string | null {
  return typeof value === 'string' && !NO_REASON.test(value) ? value : null;
}

/**
 * Returns whether an answer without anything in it may have a finish reason. A model may have nothing to say, which its
 * server answers with an empty text, or be stopped before it says anything. An answer that calls no tool is broken.
 */
export function mayBeEmpty(reason: string, hasText: boolean): boolean {
  const name = reason.toLowerCase();
  return !CALLS.has(name) && (hasText || !COMPLETE.has(name));
}

/** Returns whether a finish reason fits an answer that calls tools: any but those of a usual end. */
export function endsWithCalls(reason: string | null | undefined): boolean {
  return typeof reason === 'string' && !COMPLETE.has(reason.toLowerCase());
}

/** Gives a choice the finish reason of tool calls, and keeps the vendor's own beside it. */
export function nameCalls(choice: Finished): void {
  if (typeof choice.finish_reason === 'string') choice['native_finish_reason'] ??= choice.finish_reason;
  choice.finish_reason = 'tool_calls';
}
