import { z } from 'zod';

export const tokens = z.int().nullable().optional();

/** The fields that the gateway adds to a usage, in every dialect. */
export const charge = {
  cost: z.number().nullable().optional().meta({ description: 'US dollars charged to your account.' }),
  is_byok: z.boolean().optional(),
  is_estimated: z
    .boolean()
    .optional()
    .meta({ description: 'True: the provider did not count the tokens, so the gateway estimated them.' }),
};

/** The usage and cost of a generation. */
export const usage = z
  .looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    ...charge,
    cost_details: z
      .object({
        upstream_inference_cost: z.number().nullable().optional(),
        upstream_inference_prompt_cost: z.number(),
        upstream_inference_completions_cost: z.number(),
      })
      .nullable()
      .optional(),
    prompt_tokens_details: z
      .looseObject({
        cached_tokens: tokens,
        cached_tokens_details: z
          .looseObject({ audio_tokens: tokens })
          .nullable()
          .optional()
          .meta({ description: 'The part of `cached_tokens` that is sound, if the provider counts it.' }),
        cache_write_tokens: tokens,
        audio_tokens: tokens,
      })
      .nullable()
      .optional(),
    completion_tokens_details: z
      .looseObject({ reasoning_tokens: tokens, audio_tokens: tokens, image_tokens: tokens })
      .nullable()
      .optional(),
    server_tool_use_details: z
      .looseObject({
        web_search_requests: tokens,
        tool_calls_requested: tokens,
        tool_calls_executed: tokens,
      })
      .nullable()
      .optional()
      .meta({ description: 'Set if the provider runs tools of its own and counts them.' }),
  })
  .meta({ id: 'Usage' });
