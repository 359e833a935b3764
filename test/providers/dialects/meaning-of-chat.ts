type Json = Record<string, unknown>;

/**
 * A chat request reduced to what it means: other spellings of the same are one. System messages at the top are one
 * prompt, a text is a list of one part, arguments are what they say.
 */
export function meaningOfChat(request: Json): Json {
  const { messages, stop, parallel_tool_calls: parallel, tool_choice: choice, ...rest } = request;
  const list = messages as Json[];
  const first = list.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  return {
    ...rest,
    ...(stop === undefined ? {} : { stop: [stop].flat() }),
    // Calls may be parallel unless one says otherwise, and `auto` is what happens anyway.
    isSerial: parallel === false && choice !== 'none',
    choice: choice ?? 'auto',
    system: list.slice(0, first).flatMap(({ content }) => partsOf(content)),
    messages: list.slice(first).map(meaningOfMessage),
  };
}

function meaningOfMessage({
  role,
  content,
  tool_calls: calls,
  reasoning_details: details,
  ...rest
}: Json): Json {
  return {
    ...rest,
    role: role === 'developer' ? 'system' : role,
    content: partsOf(content),
    calls: ((calls ?? []) as { id: string; function: { name: string; arguments: string } }[]).map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: parsed(call.function.arguments),
    })),
    thoughts: ((details ?? []) as Json[]).map(({ type, text, signature, data }) => ({
      type,
      text,
      signature,
      data,
    })),
  };
}

function partsOf(content: unknown): unknown[] {
  if (content === null || content === undefined) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown[]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
