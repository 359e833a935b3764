/** Defines the bodies that create, change and price private endpoints. */
import { z } from 'zod';
import { REGIONS } from '../../domain/catalog/catalog.ts';
import { MAX_OVERRIDES } from '../../domain/catalog/token-pricing.ts';
import { isStandardTier } from '../../domain/live/service-tier.ts';
import { overrideConditions } from '../catalog/pricing.ts';
import { httpUrl, text } from '../text.ts';
import { NOTES } from './private-endpoint-record.ts';

/** A price in dollars per token, as a decimal string without an exponent. */
const price = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, 'must be a decimal string such as 0.0000015')
  .meta({ description: 'Dollars per token.', examples: ['0.0000015'] });

const MAX_URL_CHARACTERS = 2_048;
const MAX_NAME_CHARACTERS = 256;
const MAX_PARAMETERS = 50;
const MAX_PARAMETER_CHARACTERS = 64;

const priced = [
  'prompt',
  'completion',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
] as const;

const override = z
  .strictObject({
    ...overrideConditions,
    service_tier: overrideConditions.service_tier.refine(
      (name) => name === undefined || !isStandardTier(name),
      'must not be a name of the standard tier',
    ),
    prompt: price.optional(),
    completion: price.optional(),
    input_cache_read: price.optional(),
    input_cache_write: price.optional(),
    input_cache_write_1h: price.optional(),
  })
  .refine(
    ({ utc_start: start, utc_end: end }) =>
      (start === undefined) === (end === undefined) && (start ?? -1) !== end,
    { path: ['utc_end'], error: 'must be given together with utc_start, and differ from it' },
  )
  .refine(
    (entry) => priced.some((name) => entry[name] !== undefined),
    `must have one of ${priced.join(', ')}`,
  )
  .refine((entry) => hasCondition(entry), 'must have a condition such as min_prompt_tokens')
  .meta({ id: 'NewPricingOverride' });

function hasCondition(entry: object): boolean {
  return Object.keys(entry).some((name) => name in overrideConditions && name !== 'utc_moment');
}

const pricing = z
  .object({
    prompt: price,
    completion: price,
    cache_read: price.optional(),
    cache_write: price.optional(),
    overrides: z
      .array(override)
      .min(1)
      .max(MAX_OVERRIDES)
      .optional()
      .meta({ description: 'Prices under conditions; see `GET /models/{author}/{slug}/endpoints`.' }),
  })
  .meta({
    id: 'PrivateEndpointPricing',
    description:
      'Absent cache prices keep their ratio to `prompt` at the public endpoint of the model, also in `overrides` with `prompt`; without such a ratio they equal `prompt`.',
  });

const upstream = {
  upstream_model_id: text({ min: 1, max: MAX_NAME_CHARACTERS }).meta({
    description: NOTES.upstream_model_id,
  }),
  base_url: httpUrl({ max: MAX_URL_CHARACTERS }).optional().meta({ description: NOTES.base_url }),
  declared_region: z.enum(REGIONS).nullable().optional().meta({ description: NOTES.declared_region }),
  declared_zdr: z.boolean().nullable().optional().meta({ description: NOTES.declared_zdr }),
  declared_parameters: z
    .array(text({ min: 1, max: MAX_PARAMETER_CHARACTERS }))
    .max(MAX_PARAMETERS)
    .nullable()
    .optional()
    .meta({ description: NOTES.declared_parameters }),
};

/** The body that creates a private endpoint. Absent declarations declare nothing. */
export const newPrivateEndpoint = z
  .object({
    model_permaslug: text({ min: 1, max: MAX_NAME_CHARACTERS }).meta({
      description:
        'The id or canonical slug of any chat or embeddings model of the catalog, even if no public endpoint serves it.',
    }),
    provider_slug: text({ min: 1, max: MAX_NAME_CHARACTERS }).meta({
      description:
        'The API of the upstream: `openai-compatible`, `openai`, `anthropic`, `azure`, `google`, `google-vertex` or `bedrock`.',
    }),
    ...upstream,
    pricing: pricing.optional().meta({ description: 'Absent: the prices of the public endpoint, else 0.' }),
    activate: z.object({ workspace_id: z.uuid() }).optional().meta({
      description:
        'Validates the endpoint with a credential of this workspace, and activates it if the checks pass.',
    }),
  })
  .meta({ id: 'NewPrivateEndpoint' });

/**
 * The changes of a private endpoint. An absent `base_url` stays as it is. Absent declarations stay if the upstream's
 * address and model stay; a change of either clears them. Null clears a declaration.
 */
export const privateEndpointChanges = z.object(upstream).meta({ id: 'PrivateEndpointChanges' });

export const newPricing = z.object({ pricing }).meta({ id: 'NewPrivateEndpointPricing' });

export type NewPrivateEndpointBody = z.output<typeof newPrivateEndpoint>;
export type PrivateEndpointChangesBody = z.output<typeof privateEndpointChanges>;
export type NewPricingBody = z.output<typeof newPricing>;
