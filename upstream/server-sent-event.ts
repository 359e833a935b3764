/** A chunk of a streamed chat, with the fields that this server uses. */
export interface StreamChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  system_fingerprint: string;
  choices: unknown[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

/** Returns an event that also has its type as its name. */
export function toNamedEvent(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\n${toEvent(data)}`;
}

/** Returns one event, with its empty line. */
export function toEvent(data: object | '[DONE]'): string {
  return `data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`;
}
