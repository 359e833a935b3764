import { z } from 'zod';
import { streamErrorDetails } from '../errors.ts';
import { usage } from './usage.ts';

const finishReason = z.string().nullable().meta({
  description: '`stop`, `length`, `tool_calls`, `content_filter` or `error`.',
});
const nativeFinishReason = z.string().nullable().optional().meta({
  description: 'The finish reason in the words of the provider.',
});
const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullable();

const reasoning = z.unknown().meta({ description: "The model's reasoning, if the provider returns it." });

const shared = {
  id: z.string().meta({ description: 'The id of the generation: see `GET /generation`.' }),
  created: z.int().meta({ description: 'Unix seconds.' }),
  model: z.string().meta({ description: 'The model that answered.' }),
  provider: z.string().meta({ description: 'The provider that answered.' }),
  service_tier: z.string().nullable().optional(),
};

/** The answer of a chat. Unknown fields of the upstream are passed on. */
export const chatCompletion = z
  .looseObject({
    ...shared,
    object: z.literal('chat.completion'),
    system_fingerprint: z.string().nullable(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        finish_reason: finishReason,
        native_finish_reason: nativeFinishReason,
        message: z.looseObject({
          role: z.string(),
          content: content.optional(),
          reasoning: reasoning.optional(),
        }),
      }),
    ),
    usage: usage.optional(),
  })
  .meta({ id: 'ChatCompletion' });

export const chatCompletionChunk = z
  .looseObject({
    ...shared,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        finish_reason: finishReason,
        native_finish_reason: nativeFinishReason,
        delta: z.looseObject({
          role: z.string().optional(),
          content: content.optional(),
          reasoning: reasoning.optional(),
        }),
      }),
    ),
    usage: usage.nullable().optional().meta({ description: 'Set in the last chunk.' }),
    error: z
      .object({
        code: z.int(),
        message: z.string(),
        metadata: streamErrorDetails.optional(),
      })
      .optional()
      .meta({ description: 'The error that interrupted the stream; set in the last chunk.' }),
  })
  .meta({ id: 'ChatCompletionChunk' });

export type ChatCompletionBody = z.output<typeof chatCompletion>;
export type ChatCompletionChunkBody = z.output<typeof chatCompletionChunk>;
