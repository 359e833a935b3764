import { z } from 'zod';
import { charge, tokens } from './usage.ts';
import { streamErrorDetails } from '../errors.ts';

const responsesUsage = z
  .looseObject({
    input_tokens: z.int(),
    input_tokens_details: z.looseObject({ cached_tokens: z.int(), cache_write_tokens: tokens }),
    output_tokens: z.int(),
    output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
    total_tokens: z.int(),
    ...charge,
    cost_details: z
      .object({
        upstream_inference_cost: z.number().nullable().optional(),
        upstream_inference_input_cost: z.number(),
        upstream_inference_output_cost: z.number(),
      })
      .optional(),
  })
  .meta({ id: 'ResponsesUsage' });

const outputItem = z
  .looseObject({ type: z.string().meta({ examples: ['message', 'function_call', 'reasoning'] }) })
  .meta({
    id: 'ResponsesOutputItem',
    description: "A message, a function call, or the model's reasoning. Send it back unchanged.",
  });

/** The answer of POST /responses. Unknown fields of the upstream are passed on. */
export const responsesResult = z
  .looseObject({
    id: z.string().meta({ description: 'The id of the generation: see `GET /generation`.' }),
    object: z.literal('response'),
    created_at: z.int().meta({ description: 'Unix seconds.' }),
    completed_at: z.int().nullable(),
    status: z.string().meta({ description: '`completed`, `incomplete`, `in_progress` or `failed`.' }),
    model: z.string().meta({ description: 'The model that answered.' }),
    provider: z.string().meta({ description: 'The provider that answered.' }),
    output: z.array(outputItem),
    error: z
      .object({ code: z.string(), message: z.string(), metadata: streamErrorDetails.optional() })
      .nullable(),
    incomplete_details: z
      .looseObject({
        reason: z.string().optional().meta({ description: '`max_output_tokens` or `content_filter`.' }),
      })
      .nullable(),
    instructions: z.string().nullable(),
    metadata: z.record(z.string(), z.string()).nullable(),
    parallel_tool_calls: z.boolean(),
    tool_choice: z.unknown().optional(),
    tools: z.array(z.looseObject({ type: z.string() })),
    temperature: z.number().nullable(),
    top_p: z.number().nullable(),
    presence_penalty: z.number().nullable(),
    frequency_penalty: z.number().nullable(),
    usage: responsesUsage.nullable().optional(),
  })
  .meta({ id: 'Response' });

/**
 * An event, distinguished by its `type`: `response.created`, `.in_progress`, `.output_item.added`,
 * `.content_part.added`, `.output_text.delta` and so on to `.completed`, `.incomplete` or `.failed`; or `error`.
 */
export const responsesEvent = z
  .looseObject({
    type: z.string(),
    sequence_number: z.int(),
    response: responsesResult.optional().meta({ description: 'Set in events about the whole response.' }),
  })
  .meta({ id: 'ResponsesEvent' });
