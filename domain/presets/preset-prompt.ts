type Json = Readonly<Record<string, unknown>>;

/** Text, or blocks of which those with text count. */
export type PromptContent = string | readonly Json[] | null | undefined;

/** The system and developer messages of a chat, wherever they stand, in their order. */
export function systemPromptOfChat(
  messages: readonly { role: string; content?: unknown }[] | null | undefined,
): string | null {
  const spoken = (messages ?? []).filter(({ role }) => role === 'system' || role === 'developer');
  return joined(spoken.flatMap(({ content }) => textsOf(content as PromptContent)));
}

/** What `system` of a messages request and `instructions` of a responses request say. */
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
