import { z } from 'zod';
import { QUANTIZATIONS } from '../../domain/catalog/catalog.ts';
import { PROVIDER_SORTS } from '../../domain/accounts/workspace.ts';
import { providerOptions } from './provider-options.ts';
import { text } from '../text.ts';

const providerNames = z
  .array(text({ min: 1, max: 256 }))
  .max(100)
  .nullable()
  .optional();
const decimal = z.union([
  z.string().regex(/^\d{1,9}(\.\d{1,18})?$/, 'must be a decimal amount'),
  z.number().min(0).max(1_000_000),
]);
const percentiles = z.union([
  z.number().min(0),
  z.object({
    p50: z.number().min(0).nullable().optional(),
    p75: z.number().min(0).nullable().optional(),
    p90: z.number().min(0).nullable().optional(),
    p99: z.number().min(0).nullable().optional(),
  }),
]);

/**
 * The caller's rules for the choice and order of endpoints. Null counts as absent. Unknown fields are ignored, because
 * newer clients of this API shape send them.
 */
export const providerPreferences = z
  .object({
    allow_fallbacks: z.boolean().nullable().optional().meta({
      description: 'False: only the first endpoint is tried. Default true.',
    }),
    require_parameters: z.boolean().nullable().optional().meta({
      description: 'Only endpoints that support every parameter of the request.',
    }),
    data_collection: z.enum(['deny', 'allow']).nullable().optional().meta({
      description: '`deny`: only providers that neither keep prompts nor train on them.',
    }),
    zdr: z.boolean().nullable().optional().meta({ description: 'Only endpoints with zero data retention.' }),
    enforce_distillable_text: z.boolean().nullable().optional().meta({
      description: 'Only models whose text may be used to train other models.',
    }),
    order: providerNames.meta({ description: 'Providers to try first, in this order, by name or slug.' }),
    only: providerNames.meta({ description: 'Only these providers.' }),
    ignore: providerNames.meta({ description: 'All providers except these.' }),
    quantizations: z.array(z.enum(QUANTIZATIONS)).nullable().optional(),
    sort: z
      .union([
        z.enum(PROVIDER_SORTS),
        z.object({
          by: z.enum(PROVIDER_SORTS).nullable().optional(),
          partition: z.enum(['model', 'none']).nullable().optional(),
        }),
      ])
      .nullable()
      .optional()
      .meta({
        description:
          'The endpoints to try first. `price`: the cheapest. `throughput`: those with the most tokens a second. `latency`: those with the shortest time to the first token. `exacto`: the order of the catalog. With `partition: "none"` the endpoints of all `models` are sorted together.',
      }),
    max_price: z
      .object({
        prompt: decimal.nullable().optional(),
        completion: decimal.nullable().optional(),
        image: decimal.nullable().optional(),
        audio: decimal.nullable().optional(),
        request: decimal.nullable().optional(),
      })
      .nullable()
      .optional()
      .meta({
        description:
          'Dollars. `prompt` and `completion`: per million tokens, or spoken characters for `prompt`. `image`: per picture or megapixel. `audio`: per second or token. `request`: per request or search.',
      }),
    preferred_min_throughput: percentiles.nullable().optional().meta({
      description: 'Tokens a second. Slower endpoints are tried last.',
    }),
    preferred_max_latency: percentiles.nullable().optional().meta({
      description: 'Seconds to the first token. Slower endpoints are tried last.',
    }),
    options: providerOptions,
  })
  .meta({ id: 'ProviderPreferences' });
