/** Declares OpenAI's older completions operation, which a chat model serves. */
import { z } from 'zod';
import { chatCompletion, chatCompletionChunk } from './chat-completion.ts';
import { completionsRequest } from './completions-request.ts';
import { conversation, textOperation } from './generation-request.ts';
import { TEXT_GENERATION_HEADERS } from '../headers.ts';
import { defineOperations } from '../operation.ts';

const choice = z.looseObject({
  text: z.string(),
  index: z.int(),
  logprobs: z.null(),
  finish_reason: z.string().nullable().meta({
    description: '`stop`, `length`, `content_filter` or `error`.',
  }),
  native_finish_reason: z.string().nullable().optional().meta({
    description: 'The finish reason in the words of the provider.',
  }),
  reasoning: z
    .string()
    .optional()
    .meta({ description: "The model's reasoning, if the provider returns it." }),
});

const own = { object: z.literal('text_completion'), choices: z.array(choice) };

/** The answer of a completion. Unknown fields of the upstream are passed on. */
const completion = z.looseObject({ ...chatCompletion.shape, ...own }).meta({ id: 'Completion' });

export const completionChunk = z
  .looseObject({ ...chatCompletionChunk.shape, ...own })
  .meta({ id: 'CompletionChunk' });

export type CompletionBody = z.output<typeof completion>;
export type CompletionChunkBody = z.output<typeof completionChunk>;

export const completionOperations = defineOperations(textOperation, {
  createCompletion: {
    route: 'POST /completions',
    tag: 'Chat',
    summary: 'Complete a text',
    description:
      'Serves OpenAI’s older text completions, for clients that support no other operation. The gateway sends the prompt to a chat model as a user message, over the same endpoints and at the same price as `POST /chat/completions`. With `stream: true` the answer is a stream of server-sent events that ends with `data: [DONE]`.',
    body: {
      ...conversation,
      schema: completionsRequest,
      examples: {
        simple: {
          summary: 'A prompt',
          value: { model: 'local/echo-1', prompt: 'What is a sluice?', max_tokens: 50 },
        },
        streamed: {
          summary: 'Streamed',
          value: { model: 'local/echo-1', prompt: ['What is a sluice?'], stream: true },
        },
      },
    },
    responses: {
      200: {
        description: 'The answer, or with `stream: true` its chunks as they arrive.',
        schema: completion,
        events: completionChunk,
        headers: TEXT_GENERATION_HEADERS,
        example: {
          id: 'gen-1767225600000-abcdefghijklmnopqrst',
          object: 'text_completion',
          created: 1_767_225_600,
          model: 'local/echo-1',
          provider: 'Local upstream',
          system_fingerprint: null,
          choices: [
            { text: 'A gate that lets water through.', index: 0, logprobs: null, finish_reason: 'stop' },
          ],
          usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost: 0.000019, is_byok: false },
        },
      },
    },
  },
});
