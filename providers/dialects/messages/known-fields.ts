/** Detects fields of Anthropic messages and blocks that a translation to chat would lose. */
import type { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, textOf } from '../../../domain/fields.ts';

const OF_MESSAGE = new Set(['role', 'content']);

/** The fields of each kind of block that can be translated. Blocks of other kinds are rejected as a whole. */
const OF_BLOCK = new Map<string, ReadonlySet<string>>([
  ['text', new Set(['type', 'text', 'citations', 'cache_control'])],
  ['image', new Set(['type', 'source', 'transformations', 'cache_control'])],
  ['document', new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input', 'caller', 'cache_control'])],
  ['tool_result', new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])],
  ['tool_reference', new Set(['type', 'tool_name', 'cache_control'])],
]);

/** Records the fields of a message that have no counterpart in a chat as unsupported. */
export function checkMessage(message: Fields, path: string, unsupported: UnsupportedFields): void {
  unsupported.addOthers(message, path, OF_MESSAGE);
}

/** Records the fields of a block that have no counterpart in a chat as unsupported. */
export function checkBlock(block: Fields, path: string, unsupported: UnsupportedFields): void {
  const known = OF_BLOCK.get(textOf(block['type']));
  if (known !== undefined) unsupported.addOthers(block, path, known);
}
