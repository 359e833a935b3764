import { composeAnswer } from '../chat/compose-answer.ts';
import { faultsIn } from '../control.ts';
import type { Reply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';
import { parseMessagesRequest, toChat } from './messages-request.ts';
import { presentMessage, presentMessageStream } from './present-message.ts';

const MODELS = ['echo-1'];

/**
 * Serves Anthropic's `POST /v1/messages`. Written from its published SDK (`@anthropic-ai/sdk` 1.12.0,
 * `resources/messages/messages.d.ts`, read 2026-11-21). Answers follow the rules of the chat, with a thinking block
 * before them if `thinking` requests it. Errors have OpenAI's envelope, like all of this server.
 */
export function createMessagesCapability(): Capability {
  return {
    routes: [
      { method: 'POST', path: '/v1/messages', target: 'messages', faults: faultsIn, handle: answerMessage },
    ],
  };
}

async function answerMessage(exchange: Exchange): Promise<Reply> {
  const request = parseMessagesRequest(await exchange.fields(), MODELS);
  const chat = toChat(request);
  const answer = { request, chat, composed: composeAnswer(chat) };
  return request.stream === true ? presentMessageStream(answer) : presentMessage(answer);
}
