import { faultsIn } from '../control.ts';
import type { Reply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';
import { CANNED_MODEL, cannedReply } from './canned-chat.ts';
import { parseChatRequest } from './chat-request.ts';
import { composeAnswer } from './compose-answer.ts';
import { presentCompletion, presentStream } from './present-chat.ts';

const MODELS = ['echo-1', CANNED_MODEL];

/**
 * Serves OpenAI's `POST /v1/chat/completions`. Written from the vendor's published reference (openai-node,
 * `src/resources/chat/completions/completions.ts`, read 2026-11-21). `echo-1` follows the rules of `compose-answer.ts`;
 * the answer of `chat-canned` never changes. An extra of this server: `faults` in a request affect only that request.
 */
export function createChatCapability(): Capability {
  return {
    routes: [{ method: 'POST', path: CHAT_PATH, target: 'chat', faults: faultsIn, handle: completeChat }],
  };
}

export const CHAT_PATH = '/v1/chat/completions';

async function completeChat(exchange: Exchange): Promise<Reply> {
  const request = parseChatRequest(await exchange.fields(), MODELS);
  if (request.model === CANNED_MODEL) return { status: 200, ...cannedReply(request.stream === true) };
  const composed = composeAnswer(request);
  return request.stream === true ? presentStream(request, composed) : presentCompletion(request, composed);
}
