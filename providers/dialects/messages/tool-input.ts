/** Translates the arguments of tool calls between a chat and Anthropic's dialect, even when they are invalid JSON. */
import { type Fields, fieldsInJson, isFields } from '../../../domain/fields.ts';

/**
 * Anthropic's key for arguments that are not a JSON object (platform.claude.com, "Fine-grained tool streaming", read
 * 2026-11-21).
 */
const INVALID_JSON = 'INVALID_JSON';

/**
 * Translates the arguments of a chat's tool call, which are a text, to the input of a `tool_use`, which is an object.
 */
export function toToolInput(text: unknown): Fields {
  if (typeof text !== 'string' || text.trim() === '') return {};
  // Invalid JSON: the model ran out of tokens, or wrote it.
  return fieldsInJson(text) ?? { [INVALID_JSON]: text };
}

/** Translates the input of a `tool_use` to arguments. Restores a text that was not valid JSON unchanged. */
export function toToolArguments(input: unknown): string {
  if (!isFields(input)) return JSON.stringify(input ?? {});
  const { [INVALID_JSON]: text } = input;
  return typeof text === 'string' && Object.keys(input).length === 1 ? text : JSON.stringify(input);
}
