/**
 * Text is weighed in eighths of a token, by its kind of characters: ASCII a quarter of a token, letters of two UTF-8
 * bytes (Greek, Cyrillic, Arabic, accented Latin) five eighths, those of three (Chinese, Japanese, Korean, Indic) a
 * whole one, emoji ten eighths. Vendors' own rules of thumb: four English characters a token (OpenAI, "What are tokens
 * and how to count them"), 0.3 tokens an English and 0.6 a Chinese character (api-docs.deepseek.com,
 * quick_start/token_usage, read 2026-11-21); older tokenizers make one of each Chinese character and two of many emoji.
 *
 * The number of bytes tells the kinds apart without a look at any character: of one it is the number of UTF-16 units
 * plus 0, 1, 2 and 2.
 */
export function textWeight(text: string): number {
  const { length } = text;
  return 2 * length + 3 * (Buffer.byteLength(text) - length);
}

/** A rough count of tokens; never zero for text that is not empty. */
export function tokensOfWeight(weight: number): number {
  return Math.ceil(weight / 8);
}

/** Of an answer's message, or of a piece of one; without what it calls. */
export function messageWeight(message: { content?: unknown; [field: string]: unknown }): number {
  const { content } = message;
  let weight = weightOf(content);
  if (Array.isArray(content)) {
    for (const part of content as ({ text?: unknown } | null)[]) weight += weightOf(part?.text);
  }
  return weight + weightOf(message['reasoning']) + weightOf(message['refusal']);
}

function weightOf(text: unknown): number {
  return typeof text === 'string' ? textWeight(text) : 0;
}
