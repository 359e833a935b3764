/** Translates a model's thoughts between Anthropic's blocks and the fields of a chat message. */
import { type Fields, fieldsIn, textOf, withoutUndefined } from '../fields.ts';

/*
 * A model's thoughts are in two fields of a chat. `reasoning` is for people. `reasoning_details` is for sending them
 * back, with the signature that Anthropic requires (the shape of OpenRouter's reference, "Reasoning Tokens", read
 * 2026-11-21).
 */
const FORMAT = 'anthropic-claude-v1';

/** Translates a `thinking` or `redacted_thinking` block to an entry of `reasoning_details`. */
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

/**
 * Returns whether another vendor made these thoughts, so that Anthropic cannot verify their signature. False for
 * entries without a known format, because they may be Anthropic's.
 */
export function isForeign({ format }: Fields): boolean {
  return typeof format === 'string' && format !== FORMAT && format !== 'unknown';
}

/** Returns the blocks for the entries of `reasoning_details`. An entry that Anthropic would refuse becomes null. */
export function toThinkingBlocks(details: unknown): (Fields | null)[] {
  return fieldsIn(details).map(({ type, text, signature, data }) => {
    if (type === 'reasoning.encrypted' && typeof data === 'string')
      return { type: 'redacted_thinking', data };
    if (type !== 'reasoning.text' || typeof signature !== 'string' || signature === '') return null;
    return { type: 'thinking', thinking: textOf(text), signature };
  });
}

/** Returns the fields of a chat's message for these thinking blocks. */
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
