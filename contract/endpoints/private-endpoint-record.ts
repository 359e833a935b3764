/** Declares the shapes of a private endpoint in answers, from the summary to the endpoint with its validation. */
import { z } from 'zod';
import { pricingOverride } from '../catalog/pricing.ts';
import { REGIONS } from '../../domain/catalog/catalog.ts';
import { PRIVATE_ENDPOINT_STATUSES } from '../../domain/endpoints/private-endpoint.ts';
import { validationState } from './validation.ts';

/** Descriptions of a private endpoint's fields, for requests and answers. */
export const NOTES = {
  upstream_model_id: 'The name of the model or deployment at the upstream.',
  base_url: 'The address of the deployment, to which the paths of its API are added.',
  declared_region: 'Your statement of where the upstream processes data. Null counts as `global`.',
  declared_zdr: 'Your statement that the upstream retains no data. Null counts as `false`.',
  declared_parameters:
    'The request parameters that the upstream supports. Null: those of the public endpoint of the model.',
} as const;

const status = z.enum(PRIVATE_ENDPOINT_STATUSES).meta({
  description:
    '`draft`: serves no request yet. `active`: serves requests. `disabled`: was active, and serves no request until it is enabled.',
});

const modelNames = {
  model_name: z.string().nullable(),
  model_permaslug: z.string().meta({ description: 'The canonical slug of the model, which never changes.' }),
  model_slug: z.string().nullable(),
};

const declarations = {
  declared_region: z.enum(REGIONS).nullable().meta({ description: NOTES.declared_region }),
  declared_zdr: z.boolean().nullable().meta({ description: NOTES.declared_zdr }),
};

const shownPrice = z.string().meta({ description: 'Dollars per token.' });

export const endpointSummary = z
  .object({
    id: z.uuid(),
    created_at: z.iso.datetime(),
    status,
    ...modelNames,
    provider_name: z.string(),
  })
  .meta({ id: 'PrivateEndpointSummary' });

export const managedEndpoint = endpointSummary.extend(declarations).meta({ id: 'ManagedPrivateEndpoint' });

export const privateEndpoint = z
  .object({
    id: z.uuid(),
    status,
    base_url: z
      .string()
      .nullable()
      .meta({
        description: `${NOTES.base_url} Null: the vendor's own address, or the one inside the credential.`,
      }),
    ...declarations,
    declared_parameters: z.array(z.string()).nullable().meta({ description: NOTES.declared_parameters }),
    ...modelNames,
    pricing: z.object({
      prompt: shownPrice,
      completion: shownPrice,
      cache_read: shownPrice,
      cache_write: shownPrice,
      overrides: z.array(pricingOverride).optional(),
    }),
    provider_name: z.string(),
    provider_slug: z.string().nullable(),
    upstream_model_id: z.string().meta({ description: NOTES.upstream_model_id }),
  })
  .meta({ id: 'PrivateEndpoint' });

export const validatedEndpoint = privateEndpoint
  .extend({
    validation: validationState,
  })
  .meta({ id: 'ValidatedPrivateEndpoint' });

export type EndpointSummary = z.output<typeof endpointSummary>;
export type ManagedEndpointRecord = z.output<typeof managedEndpoint>;
export type PrivateEndpointRecord = z.output<typeof privateEndpoint>;
