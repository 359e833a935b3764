/** Defines the request fields that a preset can store. */
import { z } from 'zod';
import { gatewayFields, modelName, olderFields } from '../live/generation-request.ts';
import { orNull } from '../or-null.ts';
import { text } from '../text.ts';

/**
 * The plugins, under the names that clients of this API shape use. A preset may store any of them; a request may use
 * those that the deployment offers.
 */
export const PLUGIN_IDS = [
  'alignment',
  'armor',
  'auto-beta-router',
  'auto-router',
  'context-compression',
  'file-parser',
  'fusion',
  'jev-router',
  'moderation',
  'pareto-router',
  'response-healing',
  'switchyard-router',
  'web',
  'web-fetch',
] as const;

const plugin = z
  .looseObject({ id: z.enum(PLUGIN_IDS), enabled: orNull(z.boolean()) })
  .meta({ id: 'PresetPlugin' });

const stopCondition = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('step_count_is'), step_count: z.int().min(1) }),
    z.looseObject({ type: z.literal('max_cost'), max_cost_in_dollars: z.number().min(0) }),
    z.looseObject({ type: z.literal('max_tokens_used'), max_tokens: z.int().min(1) }),
    z.looseObject({ type: z.literal('has_tool_call'), tool_name: text({ min: 1 }) }),
    z.looseObject({ type: z.literal('finish_reason_is'), reason: text({ min: 1 }) }),
  ])
  .meta({ id: 'StopCondition' });

const cacheControl = z
  .looseObject({ type: z.literal('ephemeral'), ttl: orNull(z.enum(['5m', '1h'])) })
  .meta({ id: 'CacheControl' });

/** The fields that all three dialects share. */
export const presetFields = {
  ...gatewayFields,
  ...olderFields,
  model: orNull(modelName).meta({
    description: 'A model of `GET /models`. Absent: the default of the workspace that uses the preset.',
  }),
  models: orNull(z.array(modelName).max(20)).meta({ description: 'Tried in this order after `model`.' }),
  fallbacks: orNull(z.array(z.strictObject({ model: modelName })).max(3)).meta({
    description: 'An alternative to `models`; not together with it.',
  }),
  plugins: orNull(z.array(plugin).max(50)),
  route: orNull(z.enum(['fallback', 'sort'])).meta({
    deprecated: true,
    description: 'Kept as `provider.sort.partition`: `fallback` is `model`, `sort` is `none`.',
  }),
  cache_control: orNull(cacheControl),
  service_tier: orNull(text({ min: 1, max: 64 })),
  stop_server_tools_when: orNull(z.array(stopCondition).max(20)).meta({
    description: 'Conditions; the loop of server tools ends as soon as one of them holds.',
  }),
};
