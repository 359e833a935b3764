/** Declares the operations in Anthropic's dialect: messages and token counts. */
import { z } from 'zod';
import { conversation, textOperation } from './generation-request.ts';
import { sessionHeaders, TEXT_GENERATION_HEADERS } from '../headers.ts';
import { message, messageEvent, messageTokens } from './messages-answer.ts';
import { messagesRequest } from './messages-request.ts';
import { defineOperations } from '../operation.ts';

const common = { tag: 'Chat' } as const;

/** A request that both examples use. */
const question = {
  model: 'local/echo-1',
  max_tokens: 1_024,
  messages: [{ role: 'user', content: 'What is a sluice?' }],
};

const messagesHeaders = sessionHeaders.extend({
  'anthropic-beta': z
    .string()
    .regex(/^[\w., -]{1,2048}$/, 'must be names of letters, digits and . _ -, separated by commas')
    .optional()
    .meta({ description: 'Sent to providers of the same dialect.' }),
});

export const messageOperations = defineOperations(common, {
  createMessage: {
    ...textOperation,
    route: 'POST /messages',
    summary: "Complete a conversation, in Anthropic's dialect",
    description:
      "Does what `POST /chat/completions` does, in the format of Anthropic's Messages API, for every chat model. Providers of the same dialect receive the request unchanged; for others it is translated. With `stream: true` the answer is a stream of server-sent events that ends with `message_stop`. Errors have Anthropic's envelope.",
    headers: messagesHeaders,
    body: {
      ...conversation,
      schema: messagesRequest,
      examples: {
        simple: { summary: 'A question', value: question },
        streamed: { summary: 'Streamed', value: { ...question, stream: true } },
      },
    },
    errorShape: 'messages',
    responses: {
      200: {
        description: 'The answer, or with `stream: true` its events as they arrive.',
        schema: message,
        events: messageEvent,
        headers: TEXT_GENERATION_HEADERS,
        example: {
          id: 'gen-1767225600000-abcdefghijklmnopqrst',
          type: 'message',
          role: 'assistant',
          model: 'local/echo-1',
          provider: 'Local upstream',
          content: [{ type: 'text', text: 'A gate that lets water through.' }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 5, output_tokens: 7, cost: 0.000019, is_byok: false },
        },
      },
    },
  },

  countMessageTokens: {
    route: 'POST /messages/count_tokens',
    access: 'generation',
    summary: "Estimate the tokens of a conversation, in Anthropic's dialect",
    description:
      'Takes the body of `POST /messages` and estimates the tokens of its prompt from the length of its texts, its media and its tools. No provider is called; nothing is generated, recorded or charged.',
    headers: messagesHeaders,
    body: {
      ...conversation,
      schema: messagesRequest,
      examples: { simple: { summary: 'A question', value: question } },
    },
    errorShape: 'messages',
    responses: {
      200: {
        description: 'The estimate.',
        schema: messageTokens,
        headers: {
          'Sluice-Token-Count': '`estimated`: the count does not come from a tokenizer of the model.',
        },
        example: { input_tokens: 9 },
      },
    },
    errors: [404],
  },
});
