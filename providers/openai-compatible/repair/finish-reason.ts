/** Corrects the finish reason of answers that call tools. */

interface Finished {
  finish_reason?: string | null;
  [field: string]: unknown;
}

/** The finish reasons with which servers end an answer that calls tools, although it is complete. */
const COMPLETE = new Set(['stop', 'end_turn', 'eos', 'eos_token', 'completed', 'complete', 'done']);

/** Returns whether a finish reason fits an answer that calls tools: any but those of a usual end. */
export function endsWithCalls(reason: string | null | undefined): boolean {
  return typeof reason === 'string' && !COMPLETE.has(reason.toLowerCase());
}

/** Gives a choice the finish reason of tool calls, and keeps the vendor's own beside it. */
export function nameCalls(choice: Finished): void {
  if (typeof choice.finish_reason === 'string') choice['native_finish_reason'] ??= choice.finish_reason;
  choice.finish_reason = 'tool_calls';
}
