/** Defines the properties of operations and the gateway's own fields that all generation requests share. */
import { z } from 'zod';
import { TEXT_ONLY } from '../../domain/gateway-fields.ts';
import { providerPreferences } from '../routing/provider-preferences.ts';
import { orNull } from '../or-null.ts';
import { sessionHeaders } from '../headers.ts';
import { endUser, sessionId, trace } from '../request-metadata.ts';
import { text } from '../text.ts';

/** The properties of the operations that one upstream request or more answer. */
export const generationOperation = {
  access: 'generation',
  headers: sessionHeaders,
  rateLimit: 'generation',
  callsOut: true,
} as const;

/** The properties of the operations of chat in every dialect. */
export const textOperation = {
  ...generationOperation,
  errors: [402, 404, 408, 422, 502, 524, 529],
} as const;

/** The limits on a body that may include a whole conversation. */
export const conversation = { limit: 'generation', maxEntries: 100_000 } as const;

/** A model's id, an alias, or a reference to a preset. */
export const modelName = text({ min: 1, max: 256 });

/** The gateway's own fields of all live operations. No provider receives them. */
export const gatewayFields = {
  provider: providerPreferences.nullable().optional(),
  session_id: sessionId
    .optional()
    .nullable()
    .meta({ description: 'Groups requests. Takes precedence over the `x-session-id` header.' }),
  user: endUser.nullable().optional(),
  trace: trace.nullable().optional(),
};

/** Plugins, under the names that clients of this API shape use. The service decides which ones this deployment runs. */
const plugins = z
  .array(z.looseObject({ id: text({ min: 1, max: 64 }), enabled: orNull(z.boolean()) }))
  .max(50);

/** An older field of OpenRouter's clients, accepted by all operations with usage in their answers. */
export const usageAccounting = orNull(z.looseObject({ include: orNull(z.boolean()) })).meta({
  deprecated: true,
  description: 'Has no effect: every answer has its usage and its cost.',
});

/** Deprecated fields that clients made for OpenRouter still send. Presets keep them. */
export const olderFields = {
  include_reasoning: orNull(z.boolean()).meta({
    deprecated: true,
    description:
      'In a chat, `false` is an older form of `reasoning: { "exclude": true }`; `reasoning.exclude` takes precedence. Has no effect in messages and responses.',
  }),
  transforms: orNull(z.array(text({ max: 64 })).max(50)).meta({
    deprecated: true,
    description: 'Has no effect: prompts are never shortened.',
  }),
};

/** The fields that name the models of chat, messages and responses. */
export const modelFields = {
  model: orNull(modelName).meta({
    description:
      'A model of `GET /models`, `@preset/<slug>`, or `<author>/<model>@preset/<slug>`. Absent: the default of the workspace.',
  }),
  models: orNull(z.array(modelName).max(20)).meta({
    description: 'Models to try, in this order, if the previous ones fail.',
  }),
  preset: orNull(text({ min: 1, max: 128 })).meta({ description: 'The slug of the preset to use.' }),
};

export const serviceTier = orNull(z.string()).meta({
  description:
    'The standard tier (`auto`, `default`, `standard`, `standard_only` or `on_demand`), or one for which an endpoint of the model has prices.',
});

/** The gateway's own fields of chat, messages and responses. No provider receives them. */
export const textGatewayFields = {
  plugins: orNull(plugins),
  route: orNull(z.enum(['fallback', 'sort'])).meta({
    deprecated: true,
    description: 'Older spelling of `provider.sort.partition`: `fallback` is `model`, `sort` is `none`.',
  }),
  stop_server_tools_when: orNull(z.array(z.looseObject({ type: z.string() }))),
  debug: orNull(z.looseObject({ echo_upstream_body: orNull(z.boolean()) })),
  usage: usageAccounting,
  ...olderFields,
  ...gatewayFields,
};

/** The models to try in this order after `model`. */
export const fallbackModels = z.array(modelName).max(20).nullable().optional().meta({
  description: 'Models to try, in this order, if the previous ones fail.',
});

/** Rejects fields that have no effect on an operation. Its body otherwise passes unknown fields on. */
export function refuseTextOnly(body: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  for (const name of TEXT_ONLY) {
    if (body[name] === undefined || body[name] === null) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'is not supported by this operation' });
  }
}
