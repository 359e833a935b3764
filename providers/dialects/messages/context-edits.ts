/** Handles the context edits of an Anthropic request that is served by a chat endpoint. */
import { type UnsupportedFields, hasContent } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';

/**
 * Edits that only shorten the context (platform.claude.com/docs, "Context editing" and "Compaction", read 2026-11-23).
 * An endpoint that ignores them reads more of the conversation, so its answer loses nothing.
 */
const SAVING_CONTEXT = new Set(['clear_thinking_20251015', 'clear_tool_uses_20250919', 'compact_20260112']);

/** Records context edits that would change the answer as unsupported. */
export function checkContextEdits(management: unknown, unsupported: UnsupportedFields): void {
  if (!hasContent(management)) return;
  const { edits, ...others } = isFields(management) ? management : {};
  unsupported.addOthers(others, 'body.context_management');
  for (const [index, { type }] of fieldsIn(edits).entries()) {
    if (!SAVING_CONTEXT.has(textOf(type)))
      unsupported.addName(`body.context_management.edits.${index}.type`, type);
  }
}

/**
 * Returns the applied edits for the answer to a request with edits. The list is empty, since no chat endpoint makes
 * any.
 */
export function appliedEditsOf(request: Fields): Fields {
  return isFields(request['context_management']) ? { context_management: { applied_edits: [] } } : {};
}
