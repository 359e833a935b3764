/** Sends a chat and reads its answer as it comes. */
import { API_BASE, sessionHeaders } from '../../api/client.ts';
import { asProblem, Problem, problemOf } from '../../api/problem.ts';
import type { Schema } from '../../api/call.ts';
import { type Medium, mediumOf } from '../../parts/media/medium.ts';

export type ChatBody = Record<string, unknown>;
export type Usage = NonNullable<Schema<'ChatCompletionChunk'>['usage']>;

/** The addition of one event of the stream. */
export interface Piece {
  id?: string;
  text: string;
  reasoning: string;
  toolCalls: readonly ToolCallPart[];
  /** Generated pictures. */
  media: readonly Medium[];
  usage?: Usage;
}

/** A part of a call of a tool. The parts of one call have the same index, and their texts are joined. */
interface ToolCallPart {
  index: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** Returns the calls with a further part. */
export function withToolCall(calls: readonly ToolCall[], part: ToolCallPart): ToolCall[] {
  const before = calls[part.index];
  const { name = '', arguments: text = '' } = part.function ?? {};
  const next: ToolCall = {
    id: before?.id ?? part.id ?? '',
    type: 'function',
    function: {
      name: (before?.function.name ?? '') + name,
      arguments: (before?.function.arguments ?? '') + text,
    },
  };
  return Object.assign([...calls], { [part.index]: next });
}

interface Delta {
  content?: string | null;
  reasoning?: string | null;
  tool_calls?: ToolCallPart[] | null;
  images?: unknown;
}

interface Chunk {
  id?: string;
  choices?: { delta?: Delta }[];
  usage?: Usage | null;
  error?: { code?: number; message?: string };
}

/** Yields the pieces of the answer. Throws a Problem, also for an error in the middle of the stream. */
export async function* streamChat(
  body: ChatBody,
  actingKey: string,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const response = await fetch(`${API_BASE}/chat/completions`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json', ...sessionHeaders('POST', actingKey) },
    body: JSON.stringify({ ...body, stream: true }),
    signal,
  }).catch((error: unknown) => {
    throw signal.aborted ? error : asProblem(error);
  });
  if (!response.ok || response.body === null) {
    throw problemOf(response, await response.json().catch(() => undefined));
  }
  for await (const data of eventsOf(response.body)) {
    if (data === '[DONE]') return;
    yield pieceOf(JSON.parse(data) as Chunk);
  }
}

function pieceOf({ id, choices, usage, error }: Chunk): Piece {
  if (error !== undefined) throw new Problem(error.code ?? 502, error.message ?? 'The answer broke off.');
  const delta = choices?.[0]?.delta;
  return {
    id,
    text: delta?.content ?? '',
    reasoning: delta?.reasoning ?? '',
    toolCalls: delta?.tool_calls ?? [],
    media: [delta?.images ?? []].flat().flatMap((part) => mediumOf(part) ?? []),
    usage: usage ?? undefined,
  };
}

/** Yields the data of each server-sent event. Comments keep the connection alive and carry nothing. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
