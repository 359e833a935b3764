import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { z } from 'zod';
import {
  type ChatCompletionBody,
  chatCompletionChunk,
  type ChatCompletionChunkBody,
} from '../../contract/live/chat-completion.ts';
import { type Caller, createCaller } from './caller.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

/** `POST /chat/completions` with the regular key; the answer is held against the contract. */
export function askChat(
  { origin, apiKey }: Gateway,
  body: object,
  caller: Caller = createCaller(origin, apiKey),
): Promise<Response> {
  const messages = [{ role: 'user', content: 'Hello there' }];
  return caller.call('POST', '/chat/completions', { body: { model: 'local/echo-1', messages, ...body } });
}

/** The answer of a request that must succeed. */
export function completed(response: Response): Promise<ChatCompletionBody> {
  return bodyOf<ChatCompletionBody>(response);
}

/** A whole stream: every chunk held against the contract, and `[DONE]` at its end. */
export function readEvents(response: Response): Promise<ChatCompletionChunkBody[]> {
  return readChunks<ChatCompletionChunkBody>(response, chatCompletionChunk);
}

/** Returns the body of an answer that must be a success. */
export async function bodyOf<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  strictEqual(response.status, 200, text);
  return JSON.parse(text) as Body;
}

/** Returns the chunks of a whole stream: each is held against the schema, and `[DONE]` ends them. */
export async function readChunks<Chunk>(response: Response, schema: z.ZodType): Promise<Chunk[]> {
  strictEqual(response.status, 200);
  const events = (await response.text()).split('\n\n');
  strictEqual(events.pop(), '', 'the last event is whole');
  strictEqual(events.pop(), 'data: [DONE]');
  return events.map((event) => {
    strictEqual(event.slice(0, 6), 'data: ');
    const chunk = JSON.parse(event.slice(6)) as Chunk;
    deepStrictEqual(schema.parse(chunk), chunk);
    return chunk;
  });
}

export function textOf(chunks: ChatCompletionChunkBody[]): string {
  return chunks
    .flatMap(({ choices }) =>
      choices.map(({ delta }) => (typeof delta.content === 'string' ? delta.content : '')),
    )
    .join('');
}

export interface LedgerRow {
  status: string;
  provider: string;
  model: string;
  streamed: boolean;
  cost_nanos: string;
  is_byok: boolean;
  tokens_prompt: number | null;
  tokens_completion: number | null;
  finish_reason: string | null;
  session_id: string | null;
  external_user: string | null;
  preset_id: string | null;
  provider_responses: { endpoint_id: string; status: number | null; error?: string }[];
}

/** The generation's row and its details; waited for, since that of a caller who left comes after. */
export function ledgerRow({ database }: Gateway, generationId: string): Promise<LedgerRow> {
  return eventually(`generation ${generationId}`, async () => {
    const { rows } = await database.query<LedgerRow>(
      'select * from generations g join generation_details d using (id, created_at) where id = $1',
      [generationId],
    );
    return rows[0];
  });
}

export function generationIdOf(response: Response): string {
  const id = response.headers.get('x-generation-id');
  if (id === null) throw new Error(`no generation id: ${response.status}`);
  return id;
}
