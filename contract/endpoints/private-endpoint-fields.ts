import { z } from 'zod';

export const REGIONS = ['global', 'europe', 'us'] as const;

/** Descriptions of a private endpoint's fields, for requests and answers. */
export const NOTES = {
  upstream_model_id: 'The name of the model or deployment at the upstream.',
  base_url: 'The address of the deployment, to which the paths of its API are added.',
  declared_region: 'Your statement of where the upstream processes data. Null counts as `global`.',
  declared_zdr: 'Your statement that the upstream retains no data. Null counts as `false`.',
  declared_parameters:
    'The request parameters that the upstream supports. Null: those of the public endpoint of the model.',
} as const;

/** A price in dollars per token, as a decimal string without an exponent. */
export const price = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, 'must be a decimal string such as 0.0000015')
  .meta({ description: 'Dollars per token.', examples: ['0.0000015'] });
