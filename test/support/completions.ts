import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import {
  type CompletionBody,
  completionChunk,
  type CompletionChunkBody,
} from '../../contract/live/completions.ts';
import { type Caller, createCaller } from './caller.ts';
import type { Gateway } from './gateway.ts';

/** `POST /completions` with the regular key; the answer is held against the contract. */
export function askCompletion(
  { origin, apiKey }: Gateway,
  body: object,
  caller: Caller = createCaller(origin, apiKey),
): Promise<Response> {
  return caller.call('POST', '/completions', {
    body: { model: 'local/echo-1', prompt: 'Hello there', ...body },
  });
}

/** The answer of a request that must succeed. */
export async function completedText(response: Response): Promise<CompletionBody> {
  const text = await response.text();
  strictEqual(response.status, 200, text);
  return JSON.parse(text) as CompletionBody;
}

/** A whole stream: every chunk held against the contract, and `[DONE]` at its end. */
export async function readCompletionChunks(response: Response): Promise<CompletionChunkBody[]> {
  strictEqual(response.status, 200);
  const events = (await response.text()).split('\n\n');
  strictEqual(events.pop(), '', 'the last event is whole');
  strictEqual(events.pop(), 'data: [DONE]');
  return events.map((event) => {
    strictEqual(event.slice(0, 6), 'data: ');
    const chunk = JSON.parse(event.slice(6)) as CompletionChunkBody;
    deepStrictEqual(completionChunk.parse(chunk), chunk);
    return chunk;
  });
}

export function completionTextOf(chunks: readonly CompletionChunkBody[]): string {
  return chunks.flatMap(({ choices }) => choices.map(({ text }) => text)).join('');
}
