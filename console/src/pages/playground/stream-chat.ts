/** Sends a chat and reads its answer as it comes. */
import { API_BASE, sessionHeaders } from '../../api/client.ts';
import { asProblem, Problem, problemOf } from '../../api/problem.ts';
import type { components } from '../../../generated/api.d.ts';

export type ChatBody = Record<string, unknown>;
export type Usage = NonNullable<components['schemas']['ChatCompletionChunk']['usage']>;

/** The addition of one event of the stream. */
export interface Piece {
  id?: string;
  text: string;
  reasoning: string;
  usage?: Usage;
}

interface Chunk {
  id?: string;
  choices?: { delta?: { content?: string | null; reasoning?: string | null } }[];
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
  return { id, text: delta?.content ?? '', reasoning: delta?.reasoning ?? '', usage: usage ?? undefined };
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
