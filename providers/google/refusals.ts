/** Tells refusals of content from other ends of Gemini's answers. */
const REFUSALS = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE/;

/** Returns whether Google ends answers for this reason because of their content. */
export function refusesContent(finishReason: string): boolean {
  return REFUSALS.test(finishReason);
}
