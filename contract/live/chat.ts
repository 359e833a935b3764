/** Declares the operation that answers a conversation: `POST /chat/completions`. */
import { chatCompletion, chatCompletionChunk } from './chat-completion.ts';
import { chatRequest } from './chat-request.ts';
import { conversation, textOperation } from './generation-request.ts';
import { isPlainChat } from './plain-chat.ts';
import { TEXT_GENERATION_HEADERS } from '../headers.ts';
import { defineOperations } from '../operation.ts';

export const chatOperations = defineOperations(textOperation, {
  createChatCompletion: {
    route: 'POST /chat/completions',
    isForConsole: true,
    tag: 'Chat',
    summary: 'Complete a conversation',
    description:
      'Sends the conversation to the best endpoint that may serve it, and to the next ones if that fails. With `stream: true` the answer is a stream of server-sent events that ends with `data: [DONE]`; its last chunk has the usage.',
    body: {
      ...conversation,
      schema: chatRequest,
      isPlain: isPlainChat,
      examples: {
        simple: {
          summary: 'A question',
          value: { model: 'local/echo-1', messages: [{ role: 'user', content: 'What is a sluice?' }] },
        },
        streamed: {
          summary: 'Streamed, with a fallback',
          value: {
            models: ['local/echo-1', 'local/chat-canned'],
            messages: [{ role: 'user', content: 'What is a sluice?' }],
            stream: true,
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The answer, or with `stream: true` its chunks as they arrive.',
        schema: chatCompletion,
        events: chatCompletionChunk,
        headers: TEXT_GENERATION_HEADERS,
        example: {
          id: 'gen-1767225600000-abcdefghijklmnopqrst',
          object: 'chat.completion',
          created: 1_767_225_600,
          model: 'local/echo-1',
          provider: 'Local upstream',
          system_fingerprint: null,
          choices: [
            {
              index: 0,
              finish_reason: 'stop',
              message: { role: 'assistant', content: 'A gate that lets water through.' },
            },
          ],
          usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost: 0.000019, is_byok: false },
        },
      },
    },
  },
});
