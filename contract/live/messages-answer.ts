/** Defines the answers and stream events of the operations in Anthropic's dialect. */
import { z } from 'zod';
import { charge, tokens } from './usage.ts';

/** The usage of a generation, as Anthropic counts it, with its cost. */
const messagesUsage = z
  .looseObject({
    input_tokens: z
      .int()
      .meta({ description: 'Tokens of the prompt, without those read from the cache or written to it.' }),
    output_tokens: z.int(),
    cache_creation_input_tokens: tokens,
    cache_read_input_tokens: tokens,
    output_tokens_details: z.looseObject({ thinking_tokens: tokens }).nullable().optional(),
    ...charge,
    cost_details: z
      .object({
        upstream_inference_cost: z.number().nullable(),
        upstream_inference_prompt_cost: z.number(),
        upstream_inference_completions_cost: z.number(),
      })
      .nullable()
      .optional(),
  })
  .meta({ id: 'MessagesUsage' });

const contextManagement = z
  .looseObject({ applied_edits: z.array(z.looseObject({ type: z.string() })) })
  .nullable()
  .optional();

/** The answer of POST /messages. Unknown fields of the upstream are passed on. */
export const message = z
  .looseObject({
    id: z.string().meta({ description: 'The id of the generation: see `GET /generation`.' }),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string().meta({ description: 'The model that answered.' }),
    provider: z.string().meta({ description: 'The provider that answered.' }),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable().meta({
      description: '`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `pause_turn` or `refusal`.',
    }),
    stop_sequence: z.string().nullable(),
    context_management: contextManagement.meta({
      description:
        'Present when the request has `context_management`. A provider of another dialect applies no edits.',
    }),
    usage: messagesUsage,
  })
  .meta({ id: 'Message' });

/** An event of a stream. Its `event` line has its type too. */
export const messageEvent = z
  .looseObject({
    type: z.string().meta({
      examples: [
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
        'ping',
        'error',
      ],
    }),
    context_management: contextManagement.meta({
      description: 'Set in `message_delta`, as in a complete answer.',
    }),
  })
  .meta({
    id: 'MessageEvent',
    description: '`message_delta` has the usage and its price. A failed stream ends with an `error`.',
  });

/** The answer of POST /messages/count_tokens. */
export const messageTokens = z
  .object({
    input_tokens: z.int(),
    context_management: z.object({ original_input_tokens: z.int() }).optional().meta({
      description: 'Present when the request has `context_management`: no edit is applied to the count.',
    }),
  })
  .meta({ id: 'MessageTokens' });

export type MessageBody = z.output<typeof message>;
