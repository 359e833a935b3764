/** Extracts the system prompt from requests of all three dialects. */

type Json = Readonly<Record<string, unknown>>;

/** Text, or blocks; only blocks with text count. */
export type PromptContent = string | readonly Json[] | null | undefined;

/** Returns the system and developer messages of a chat, from any position, in their order. */
export function systemPromptOfChat(
  messages: readonly { role: string; content?: unknown }[] | null | undefined,
): string | null {
  const instructions = (messages ?? []).filter(({ role }) => role === 'system' || role === 'developer');
  return joined(instructions.flatMap(({ content }) => textsOf(content as PromptContent)));
}

/** Returns the text of `system` in a messages request or `instructions` in a responses request. */
export function systemPromptOf(content: PromptContent): string | null {
  return joined(textsOf(content));
}

function textsOf(content: PromptContent): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.map(({ text }: Json) => text).filter((text) => typeof text === 'string');
}

function joined(texts: string[]): string | null {
  return texts.filter((text) => text !== '').join('\n\n') || null;
}
