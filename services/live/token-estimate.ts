/**
 * Returns a text's weight in eighths of a token.
 *
 * By kind of character: ASCII counts a quarter of a token, letters of two UTF-8 bytes (Greek, Cyrillic, Arabic,
 * accented Latin) five eighths, letters of three bytes (Chinese, Japanese, Korean, Indic) one token, emoji ten
 * eighths. These follow vendors' own rules: four English characters a token (OpenAI, "What are tokens and how to
 * count them"), 0.3 tokens an English and 0.6 a Chinese character (api-docs.deepseek.com, quick_start/token_usage,
 * read 2026-11-21). Older tokenizers need one token for each Chinese character and two for many emoji.
 *
 * The formula needs only the number of bytes: for the four kinds, a character's bytes exceed its UTF-16 units by 0,
 * 1, 2 and 2.
 */
export function textWeight(text: string): number {
  return weightOfBytes(text.length, Buffer.byteLength(text));
}

/** Returns the weight of a text with that many UTF-16 units and bytes. */
export function weightOfBytes(length: number, bytes: number): number {
  return 2 * length + 3 * (bytes - length);
}

/** Returns a rough count of tokens, which is never zero for a text that is not empty. */
export function tokensOfWeight(weight: number): number {
  return Math.ceil(weight / 8);
}

/** Returns a rough count of the tokens of a text. */
export function estimatedTokensOf(text: string): number {
  return tokensOfWeight(textWeight(text));
}

/** Returns the weight of an answer's message, or of a message's chunk, without its tool calls. */
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
