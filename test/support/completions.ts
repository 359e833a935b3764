import {
  type CompletionBody,
  completionChunk,
  type CompletionChunkBody,
} from '../../contract/live/completions.ts';
import { type Caller, createCaller } from './caller.ts';
import { bodyOf, readChunks } from './chat.ts';
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
export function completedText(response: Response): Promise<CompletionBody> {
  return bodyOf<CompletionBody>(response);
}

/** A whole stream: every chunk held against the contract, and `[DONE]` at its end. */
export function readCompletionChunks(response: Response): Promise<CompletionChunkBody[]> {
  return readChunks<CompletionChunkBody>(response, completionChunk);
}

export function completionTextOf(chunks: readonly CompletionChunkBody[]): string {
  return chunks.flatMap(({ choices }) => choices.map(({ text }) => text)).join('');
}
