import { z } from 'zod';
import { modelFields, modelName, serviceTier, textGatewayFields } from './generation-request.ts';
import { dropEveryNull, orNull } from '../or-null.ts';
import { messageParam, textBlocks } from './messages-block.ts';
import { text } from '../text.ts';

const tool = z
  .looseObject({ type: orNull(z.string()), name: orNull(z.string()) })
  .overwrite(dropEveryNull())
  .superRefine((value, context) => {
    if (value.type !== undefined && value.type !== null && value.type !== 'custom') return;
    if (!value.name) context.addIssue({ code: 'custom', path: ['name'], message: 'is required' });
    const schema = value['input_schema'];
    if (typeof schema === 'object' && schema !== null) return;
    context.addIssue({ code: 'custom', path: ['input_schema'], message: 'must be an object' });
  });

const toolChoice = z
  .looseObject({ type: z.enum(['auto', 'any', 'none', 'tool']), name: orNull(z.string()) })
  .overwrite(dropEveryNull())
  .refine(({ type, name }) => type !== 'tool' || name, { path: ['name'], error: 'is required' });

const thinking = z
  .looseObject({ type: z.string() })
  .overwrite(dropEveryNull())
  .refine(({ type, budget_tokens }) => type !== 'enabled' || isTokens(budget_tokens), {
    path: ['budget_tokens'],
    error: 'must be a whole number of at least 1',
  });

function isTokens(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

/**
 * The body of POST /messages. Known fields are checked; unknown fields are passed unchanged to upstreams of the same
 * dialect.
 */
export const messagesRequest = z
  .looseObject({
    ...modelFields,
    fallbacks: orNull(z.array(z.strictObject({ model: modelName })).max(3)).meta({
      description: 'An alternative to `models`; not together with it.',
    }),
    messages: z.array(messageParam).min(1),
    system: orNull(textBlocks),
    max_tokens: orNull(z.int().min(1)).meta({
      description: 'Absent: no limit, or 32,000 if the provider requires one.',
    }),
    stream: orNull(z.boolean()),
    temperature: orNull(z.number().min(0).max(1)),
    top_p: orNull(z.number().min(0).max(1)),
    top_k: orNull(z.int().min(0)),
    stop_sequences: orNull(z.array(z.string()).max(64)),
    tools: orNull(z.array(tool)),
    tool_choice: orNull(toolChoice),
    thinking: orNull(thinking),
    output_config: orNull(
      z
        .looseObject({
          effort: orNull(z.string()),
          format: orNull(
            z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }),
          ),
        })
        .overwrite(dropEveryNull()),
    ),
    metadata: orNull(z.looseObject({ user_id: orNull(text({ max: 256 })) })).meta({
      description: '`user_id` is an alternative to `user`. It is never sent to the provider either.',
    }),
    service_tier: serviceTier,
    speed: orNull(z.literal('standard')).meta({
      description: 'Other speeds are not offered, since they have other prices.',
    }),
    inference_geo: orNull(z.literal('global')).meta({
      description: 'Other places are not offered, since they have other prices.',
    }),
    betas: orNull(
      z
        .array(z.string().regex(/^[\w.-]{1,128}$/, 'must have 1 to 128 letters, digits and . _ - only'))
        .max(50),
    ).meta({
      description: 'Added to the header `anthropic-beta`, with the same meaning.',
    }),
    context_management: orNull(
      z
        .looseObject({ edits: orNull(z.array(z.looseObject({ type: z.string() }))) })
        .overwrite(dropEveryNull()),
    ).meta({
      description:
        'Edits of the context. A provider of another dialect applies none and receives the whole conversation.',
    }),
    cache_control: orNull(z.looseObject({ type: z.literal('ephemeral') }).overwrite(dropEveryNull())),
    ...textGatewayFields,
  })
  .refine(({ fallbacks, models }) => !fallbacks || !models, {
    path: ['fallbacks'],
    error: 'cannot be combined with models',
  })
  .meta({ id: 'MessagesRequest' });
