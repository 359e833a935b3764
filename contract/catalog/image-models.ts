/** Declares the operations that list image models and their endpoints, and the shapes of both. */
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { overrideConditions } from './pricing.ts';

const common = { access: 'any', tag: 'Images' } as const;

const parameter = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('enum'), values: z.array(z.string()) }),
    z.object({ type: z.literal('range'), min: z.number(), max: z.number() }),
    z.object({ type: z.literal('boolean') }),
  ])
  .meta({ id: 'ImageParameter', description: 'The allowed values of a parameter.' });

const parameters = z.record(z.string(), parameter);

const sizeRule = z.string().nullable().meta({
  description:
    'The rule for the pixels of `size`, as a phrase that follows "must be" in an error message. A `size` that no endpoint makes is a 400. A resolution has as many pixels as a square with this side: 512 for `512`, 768 for `768`, 1024 for `1K`, 1536 for `1.5K`, 2048 for `2K`, 4096 for `4K`. Null: no pixels are accepted.',
});

const imageModel = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    created: z.int().meta({ description: 'Unix seconds.' }),
    architecture: z.object({
      input_modalities: z.array(z.string()),
      output_modalities: z.array(z.string()),
    }),
    endpoints: z.string().meta({ description: 'The URL of the parameters and prices of each endpoint.' }),
    supported_parameters: parameters.meta({
      description: 'All parameters that any endpoint of the model accepts.',
    }),
    size_rule: sizeRule,
    supports_streaming: z.boolean(),
  })
  .meta({ id: 'ImageModel' });

const price = z.object({
  billable: z.enum(['output_image', 'input_image', 'input_font', 'input_reference', 'input_text']),
  cost_usd: z.number(),
  unit: z.enum(['request', 'image', 'megapixel', 'token']),
  variant: z.string().optional().meta({
    description:
      'The size, resolution or quality to which the price is limited, or a size and a quality: `1k`, `high`, `1024x1024_high`. Absent: all other pictures.',
  }),
});

const imageEndpoint = z
  .object({
    provider_name: z.string(),
    provider_slug: z.string(),
    provider_tag: z
      .string()
      .nullable()
      .meta({ description: 'The data region of the endpoint; null: global.' }),
    supports_streaming: z.boolean(),
    supported_parameters: parameters,
    size_rule: sizeRule,
    allowed_passthrough_parameters: z.array(z.string()).meta({
      description: 'The names that `provider.options.<provider_slug>` may contain.',
    }),
    pricing: z.array(price),
    overrides: z
      .array(z.object({ ...overrideConditions, pricing: z.array(price) }))
      .optional()
      .meta({
        description:
          'Prices that replace those of the same `billable` and `unit` if all conditions of the entry hold. Later entries win.',
      }),
  })
  .meta({ id: 'ImageEndpoint' });

const imageModelList = z.object({ data: z.array(imageModel) }).meta({ id: 'ImageModelList' });
const imageModelEndpoints = z
  .object({ id: z.string(), endpoints: z.array(imageEndpoint) })
  .meta({ id: 'ImageModelEndpoints' });

export type ImageParameters = z.output<typeof parameters>;
export type ImageModelRecord = z.output<typeof imageModel>;
export type ImageEndpointRecord = z.output<typeof imageEndpoint>;

const exampleRule =
  'WIDTHxHEIGHT with sides that are multiples of 8 and at most 3072, 16384 to 4194304 pixels in all, and the longer side at most 3 times the shorter';
const exampleParameters = {
  aspect_ratio: { type: 'enum', values: ['1:1', '3:2', '2:3'] },
  n: { type: 'range', min: 1, max: 10 },
  seed: { type: 'boolean' },
} as const;

export const imageModelOperations = defineOperations(common, {
  listImageModels: {
    route: 'GET /images/models',
    summary: 'List image models',
    description: 'Lists the models that can be requested now, with the parameters of their endpoints.',
    responses: {
      200: {
        description: 'The models.',
        schema: imageModelList,
        example: {
          data: [
            {
              id: 'local/image-1',
              name: 'Local: Image 1',
              description: 'Draws the prompt.',
              created: 1_767_225_600,
              architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
              endpoints: 'https://gateway.example/api/v1/images/models/local/image-1/endpoints',
              supported_parameters: exampleParameters,
              size_rule: exampleRule,
              supports_streaming: true,
            },
          ],
        },
      },
    },
  },

  listImageModelEndpoints: {
    route: 'GET /images/models/{author}/{slug}/endpoints',
    summary: 'List the endpoints of an image model',
    description: 'Lists the parameters and prices of each endpoint. The response is not wrapped in `data`.',
    params: z.object({
      author: z.string().meta({ examples: ['local'] }),
      slug: z.string().meta({ examples: ['image-1'] }),
    }),
    responses: {
      200: {
        description: 'The endpoints of the model, best first.',
        schema: imageModelEndpoints,
        example: {
          id: 'local/image-1',
          endpoints: [
            {
              provider_name: 'Local upstream',
              provider_slug: 'local',
              provider_tag: null,
              supports_streaming: true,
              supported_parameters: exampleParameters,
              size_rule: exampleRule,
              allowed_passthrough_parameters: ['partial_images'],
              pricing: [{ billable: 'output_image', cost_usd: 0.001, unit: 'image' }],
            },
          ],
        },
      },
    },
    errors: [404],
  },
});
