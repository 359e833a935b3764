import { isObject } from '../answer-checks.ts';

/** What an answer says that it used; absent where it does not. */
export interface CohereUsage {
  searchUnits?: number;
  /** Of text and pictures together. */
  inputTokens?: number;
  /** Part of them. */
  imageTokens?: number;
}

/** More than any request can use: not a count. */
const MAX_COUNT = 2 ** 31 - 1;

/** From `meta`: what is billed, else what was read. What is no count is left out. */
export function readMeta(answer: Record<string, unknown>): CohereUsage {
  const meta = objectIn(answer, 'meta');
  const billed = objectIn(meta, 'billed_units');
  const searchUnits = countIn(billed, 'search_units');
  const imageTokens = countIn(billed, 'image_tokens');
  const text = countIn(billed, 'input_tokens') ?? countIn(objectIn(meta, 'tokens'), 'input_tokens');
  return {
    ...(searchUnits === undefined ? {} : { searchUnits }),
    ...(imageTokens === undefined ? {} : { imageTokens }),
    ...(text === undefined && imageTokens === undefined
      ? {}
      : { inputTokens: (text ?? 0) + (imageTokens ?? 0) }),
  };
}

/** Empty where there is none. */
export function objectIn(fields: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = fields[name];
  return isObject(value) ? value : {};
}

export function countIn(fields: Record<string, unknown>, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT
    ? value
    : undefined;
}
