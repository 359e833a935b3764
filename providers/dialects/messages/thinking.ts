/** Translates a model's thoughts between Anthropic's blocks and the fields of a chat message. */
import { THOUGHT_FIELDS } from '../../foreign-thoughts.ts';
import { openThought, sealThought } from '../../sealed-thoughts.ts';
import { hasContent } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, textOf, withoutUndefined } from '../../../domain/fields.ts';

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
  return { type: 'reasoning.encrypted', ...(openThought(data) ?? { data, format: FORMAT }), index };
}

/** Returns the data of a `redacted_thinking` block for an encrypted entry. Those of other vendors are sealed. */
export function redactedData(entry: Fields): string {
  return isForeign(entry) ? sealThought(entry) : textOf(entry['data']);
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
  return fieldsIn(details).map((entry) => {
    const { type, text, signature, data } = entry;
    if (type === 'reasoning.encrypted' && typeof data === 'string')
      return { type: 'redacted_thinking', data: redactedData(entry) };
    if (type !== 'reasoning.text' || typeof signature !== 'string' || signature === '') return null;
    return { type: 'thinking', thinking: textOf(text), signature };
  });
}

/**
 * Returns a chat's message without the thoughts that Anthropic would refuse. `drop` notes their fields. `reasoning`
 * only repeats the text of details, so it needs no note beside them.
 */
export function withoutForeignDetails(message: Fields, drop: (name: string) => void): Fields {
  if (THOUGHT_FIELDS.every((name) => message[name] === undefined)) return message;
  const { reasoning, reasoning_content: older, reasoning_details: all, ...rest } = message;
  const details = fieldsIn(all);
  const blocks = toThinkingBlocks(details);
  const kept = details.filter((detail, i) => blocks[i] !== null && !isForeign(detail));
  if (kept.length < details.length) drop('reasoning_details');
  if (kept.length > 0) return { ...rest, reasoning_details: kept };
  if (details.length === 0 && hasContent(reasoning)) drop('reasoning');
  if (details.length === 0 && hasContent(older)) drop('reasoning_content');
  return rest;
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
