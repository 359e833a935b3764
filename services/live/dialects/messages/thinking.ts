import { type Fields, fieldsIn, textOf, withoutUndefined } from '../fields.ts';

/*
 * What a model thought is `reasoning` in a chat, for people, and `reasoning_details`, for sending it back: with the
 * signature without which Anthropic refuses it (the shape of OpenRouter's reference, "Reasoning Tokens", read
 * 2026-11-21).
 */
const FORMAT = 'anthropic-claude-v1';

/** A `thinking` or `redacted_thinking` block as an entry of `reasoning_details`. */
export function toReasoningDetail(block: Fields, index: number): Fields {
  if (block['type'] === 'redacted_thinking') return encryptedDetail(block['data'], index);
  return withoutUndefined({
    type: 'reasoning.text',
    text: block['thinking'],
    signature: block['signature'],
    format: FORMAT,
    index,
  });
}

export function encryptedDetail(data: unknown, index: number): Fields {
  return { type: 'reasoning.encrypted', data, format: FORMAT, index };
}

/** Thoughts of another vendor, which Anthropic could not verify. Entries that do not say whose they are may be its own. */
export function isForeign({ format }: Fields): boolean {
  return typeof format === 'string' && format !== FORMAT && format !== 'unknown';
}

/** The blocks that the entries of `reasoning_details` stand for; those that Anthropic would refuse are null. */
export function toThinkingBlocks(details: unknown): (Fields | null)[] {
  return fieldsIn(details).map(({ type, text, signature, data }) => {
    if (type === 'reasoning.encrypted' && typeof data === 'string')
      return { type: 'redacted_thinking', data };
    if (type !== 'reasoning.text' || typeof signature !== 'string' || signature === '') return null;
    return { type: 'thinking', thinking: textOf(text), signature };
  });
}

/** The two fields of a chat's message that say what these blocks say. */
export function toReasoning(blocks: readonly Fields[]): Fields {
  if (blocks.length === 0) return {};
  const text = blocks.map(({ thinking }) => textOf(thinking)).join('');
  const canReturn = blocks.some(
    ({ type, signature }) => type === 'redacted_thinking' || textOf(signature) !== '',
  );
  return {
    ...(text === '' ? {} : { reasoning: text }),
    ...(canReturn ? { reasoning_details: blocks.map(toReasoningDetail) } : {}),
  };
}
