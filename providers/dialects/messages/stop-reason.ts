/** Translates between Anthropic's stop reasons and the finish reasons of a chat. */
import { normalFinishReason } from '../../../domain/live/finish-reason.ts';
import { answerFailed } from '../answer-failed.ts';

const TO_CHAT = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

/** Translates Anthropic's stop reason. Unknown ones pass unchanged. */
export function toFinishReason(stopReason: string): string {
  return TO_CHAT.get(stopReason) ?? stopReason;
}

const TO_MESSAGES = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const;

/**
 * Translates a finish reason. An answer without one gets `tool_use` when it has tool calls. Throws ProviderError for
 * finish reason `error`.
 */
export function toStopReason(finishReason: string | null | undefined, hasCalls: boolean): string {
  const reason = normalFinishReason(finishReason);
  if (reason === 'error') throw answerFailed();
  // Some vendors send `stop` although the model called tools.
  if (hasCalls && (reason === null || reason === 'stop')) return 'tool_use';
  return TO_MESSAGES[reason ?? 'stop'];
}
