import { z } from 'zod';
import { chatMessage } from './chat-message.ts';
import { modelFields, serviceTier, textGatewayFields } from './generation-request.ts';
import { dropEveryNull, orNull } from '../or-null.ts';

const penalty = orNull(z.number().min(-2).max(2));
const tokens = orNull(z.int().min(1));

const tool = z
  .looseObject({ type: z.string() })
  .overwrite(dropEveryNull('function'))
  .superRefine((value, context) => {
    if (value.type !== 'function') return;
    const described = value['function'];
    const name = typeof described === 'object' && described !== null && 'name' in described && described.name;
    if (typeof name === 'string' && name !== '') return;
    context.addIssue({ code: 'custom', path: ['function', 'name'], message: 'is required' });
  })
  .meta({ id: 'ChatTool' });

const toolChoice = z.union(
  [z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })],
  'must be one of none, auto, required, or name a function',
);

/**
 * The body of POST /chat/completions. Known fields are checked; unknown fields are passed to the upstream unchanged.
 */
export const chatRequest = z
  .looseObject({
    ...modelFields,
    messages: z.array(chatMessage).min(1),
    stream: orNull(z.boolean()),
    stream_options: orNull(z.looseObject({ include_usage: orNull(z.boolean()) }).overwrite(dropEveryNull())),
    temperature: orNull(z.number().min(0).max(2)),
    top_p: orNull(z.number().min(0).max(1)),
    top_k: orNull(z.int().min(0)),
    top_a: orNull(z.number().min(0).max(1)),
    min_p: orNull(z.number().min(0).max(1)),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    repetition_penalty: orNull(z.number().min(0).max(2)),
    max_tokens: tokens,
    max_completion_tokens: tokens,
    n: orNull(z.int().min(1).max(128)),
    seed: orNull(z.int()),
    stop: orNull(z.union([z.string(), z.array(z.string()).max(64)], 'must be a string or a list of strings')),
    logit_bias: orNull(z.record(z.string(), z.number())),
    logprobs: orNull(z.boolean()),
    top_logprobs: orNull(z.int().min(0).max(20)),
    response_format: orNull(
      z
        .looseObject({ type: z.enum(['text', 'json_object', 'json_schema', 'grammar', 'python']) })
        .overwrite(dropEveryNull('json_schema')),
    ),
    tools: orNull(z.array(tool)),
    tool_choice: orNull(toolChoice),
    parallel_tool_calls: orNull(z.boolean()),
    reasoning: orNull(z.looseObject({}).overwrite(dropEveryNull())),
    reasoning_effort: orNull(z.string()),
    modalities: orNull(z.array(z.enum(['text', 'image', 'audio']))),
    prediction: orNull(z.looseObject({})),
    service_tier: serviceTier,
    cache_control: orNull(z.looseObject({ type: z.literal('ephemeral') }).overwrite(dropEveryNull())),
    prompt_cache_key: orNull(z.string()),
    metadata: orNull(z.record(z.string(), z.string())),
    ...textGatewayFields,
  })
  .meta({ id: 'ChatRequest' });
