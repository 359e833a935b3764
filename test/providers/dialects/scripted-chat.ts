import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../../../providers/chat-adapter.ts';
import { responsesOverChat } from '../../../providers/dialects/responses/responses-over-chat.ts';
import type { ShownResponse } from '../../support/response-events.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import { freeAnswer } from '../../support/free-answer.ts';

/** An endpoint of chat that answers as it is told, and notes what it is asked. */
export interface ScriptedChat {
  adapter: ChatAdapter;
  asked: TextRequest[];
}

export interface Script {
  answer?: object;
  /** Batches, as they arrive. */
  chunks?: object[][];
  error?: Error;
}

export function scriptedChat({ answer, chunks, error }: Script): ScriptedChat {
  const asked: TextRequest[] = [];
  return {
    asked,
    adapter: {
      cacheControl: true,
      async complete(request) {
        asked.push(request);
        if (error !== undefined) throw error;
        return structuredClone(answer) as ChatCompletion;
      },
      async stream(request) {
        asked.push(request);
        return play(chunks ?? [], error);
      },
    },
  };
}

async function* play(batches: object[][], error: Error | undefined): AsyncGenerator<ChatChunk[]> {
  for (const batch of batches) yield structuredClone(batch) as ChatChunk[];
  if (error !== undefined) throw error;
}

export const CONTEXT: LiveCallContext = {
  signal: new AbortController().signal,
  requestId: 'req_test',
  timeouts: { firstByteMs: 1_000, idleMs: 1_000, attemptMs: 1_000 },
  answer: freeAnswer(),
};

type Json = Record<string, unknown>;

export const HELLO: Script = {
  answer: { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] },
};

/** A whole response over a chat that answers so, and what the chat was asked. */
export async function created(
  request: Json,
  script: Script = HELLO,
): Promise<{ asked: TextRequest; response: ShownResponse }> {
  const { adapter, asked } = scriptedChat(script);
  const response = await responsesOverChat(adapter).create({ model: 'm', input: 'Hi', ...request }, CONTEXT);
  return { asked: asked[0]!, response: response as unknown as ShownResponse };
}
