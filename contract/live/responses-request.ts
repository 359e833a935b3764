/** Validates requests in OpenAI's Responses dialect. */
import { z } from 'zod';
import { modelFields, serviceTier, textGatewayFields } from './generation-request.ts';
import { dropEveryNull, orNull } from '../or-null.ts';
import { responsesInput } from './responses-input.ts';
import { responsesTool } from './responses-tool.ts';

const penalty = orNull(z.number().min(-2).max(2));

/**
 * Returns a field that accepts `false` only, for features that the gateway lacks: it stores nothing between requests.
 */
const never = (message: string) => orNull(z.literal(false, message));

/** Describes fields that name what the provider stores; the service refuses them over the operator's credentials. */
const OWN_KEY_ONLY = { description: 'Only over your own provider key: the gateway stores nothing.' };

const toolChoice = z.union(
  [z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })],
  'must be one of none, auto, required, or name a tool',
);

const format = z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) });

/** The body of POST /responses. Known fields are checked; unknown fields are passed to the upstream unchanged. */
export const responsesRequest = z
  .looseObject({
    ...modelFields,
    input: responsesInput,
    instructions: orNull(z.string()),
    stream: orNull(z.boolean()),
    stream_options: orNull(
      z.looseObject({ include_obfuscation: orNull(z.boolean()) }).overwrite(dropEveryNull()),
    ),
    max_output_tokens: orNull(z.int().min(1)),
    max_tool_calls: orNull(z.int().min(1)),
    temperature: orNull(z.number().min(0).max(2)),
    top_p: orNull(z.number().min(0).max(1)),
    top_k: orNull(z.int().min(0)),
    top_logprobs: orNull(z.int().min(0).max(20)),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    reasoning: orNull(
      z.looseObject({ effort: orNull(z.string()), summary: orNull(z.string()) }).overwrite(dropEveryNull()),
    ),
    text: orNull(
      z.looseObject({ format: orNull(format), verbosity: orNull(z.string()) }).overwrite(dropEveryNull()),
    ),
    tools: orNull(z.array(responsesTool)),
    tool_choice: orNull(toolChoice),
    parallel_tool_calls: orNull(z.boolean()),
    modalities: orNull(z.array(z.enum(['text', 'image', 'audio']))),
    image_config: orNull(z.looseObject({})),
    include: orNull(z.array(z.string()).max(50)),
    truncation: orNull(z.enum(['auto', 'disabled'])),
    metadata: orNull(z.record(z.string(), z.string())),
    service_tier: serviceTier,
    safety_identifier: orNull(z.string()),
    prompt_cache_key: orNull(z.string()),
    cache_control: orNull(z.looseObject({ type: z.literal('ephemeral') })),
    store: never('must be false: no response is stored').meta({
      description: 'Only `false`: the gateway stores no responses.',
    }),
    background: never('must be false: responses are not made in the background'),
    previous_response_id: orNull(z.string()).meta(OWN_KEY_ONLY),
    conversation: orNull(
      z.union([z.string(), z.looseObject({ id: z.string() })], 'must be an id, or an object with an id'),
    ).meta(OWN_KEY_ONLY),
    prompt: orNull(z.looseObject({ id: z.string() })).meta(OWN_KEY_ONLY),
    ...textGatewayFields,
  })
  .meta({ id: 'ResponsesRequest' });
