import { type Fields, isFields } from '../fields.ts';

/**
 * Anthropic's key for arguments that are no JSON object (platform.claude.com, "Fine-grained tool streaming", read
 * 2026-11-21).
 */
const INVALID_JSON = 'INVALID_JSON';

/** Translates the arguments of a chat's tool call, a text, to the input of a `tool_use`, an object. */
export function toToolInput(text: unknown): Fields {
  if (typeof text !== 'string' || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return value;
  } catch {
    // A model that ran out of tokens, or that writes no JSON.
  }
  return { [INVALID_JSON]: text };
}

/** Translates the input of a `tool_use` to arguments. A text that was no JSON is restored unchanged. */
export function toToolArguments(input: unknown): string {
  if (!isFields(input)) return JSON.stringify(input ?? {});
  const { [INVALID_JSON]: text } = input;
  return typeof text === 'string' && Object.keys(input).length === 1 ? text : JSON.stringify(input);
}
