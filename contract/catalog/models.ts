/** Declares the operations that list and describe models, their endpoints and providers. */
import { z } from 'zod';
import { answerWith, recordsOf } from '../answers.ts';
import { conditionalHeaders, ENTITY_TAG_HEADERS } from '../headers.ts';
import { model, modelEndpoint, modelEndpoints, modelList, provider } from './model.ts';
import * as examples from './model-examples.ts';
import { modelPage, modelQuery, outputModalities } from './model-query.ts';
import { defineOperations } from '../operation.ts';

const common = { access: 'any' } as const;
const headers = conditionalHeaders;
const notModified = { 304: { description: 'The client already has this version.' } } as const;
const onePage = {
  200: {
    description: 'One page of models.',
    schema: modelList,
    headers: ENTITY_TAG_HEADERS,
    example: examples.modelList,
  },
  ...notModified,
} as const;
export const modelParams = z.object({
  author: z.string().meta({ examples: ['openai'] }),
  slug: z.string().meta({ description: 'The slug, with its variant if any.', examples: ['gpt-5.1'] }),
});

export const modelOperations = defineOperations(common, {
  listModels: {
    tag: 'Models',
    route: 'GET /models',
    summary: 'List models',
    description:
      'Lists the models that can be requested now. Without `output_modalities`, only models that make text are listed.',
    headers,
    query: modelQuery,
    responses: onePage,
    errors: [403],
  },

  listUserModels: {
    tag: 'Models',
    route: 'GET /models/user',
    summary: 'List the models that this key may use',
    description:
      'Lists the public catalog, and the models that only the workspace of this key can use, through its private endpoints or its own keys at providers.',
    headers,
    query: z.object({ ...modelPage, ...outputModalities }),
    responses: onePage,
    errors: [403, 404],
  },

  listEmbeddingsModels: {
    route: 'GET /embeddings/models',
    tag: 'Embeddings',
    summary: 'List embeddings models',
    headers,
    query: z.object(modelPage),
    responses: onePage,
  },

  countModels: {
    tag: 'Models',
    route: 'GET /models/count',
    errorMessages: 'exact',
    summary: 'Count models',
    headers,
    query: z.object(outputModalities),
    responses: {
      200: {
        description: 'The number of models that can be requested now.',
        schema: z.object({ data: z.object({ count: z.int() }) }).meta({ id: 'ModelCount' }),
        headers: ENTITY_TAG_HEADERS,
        example: { data: { count: 42 } },
      },
      ...notModified,
    },
    errors: [403],
  },

  getModel: {
    tag: 'Models',
    route: 'GET /model/{author}/{slug}',
    errorMessages: 'exact',
    summary: 'Get a model',
    description:
      'Returns a model by its id with any variant such as `:free`, by its canonical slug, by an alias, or by another of its names.',
    headers,
    params: modelParams,
    responses: {
      200: {
        description: 'The model.',
        headers: ENTITY_TAG_HEADERS,
        ...answerWith('ModelAnswer', model, examples.model),
      },
      ...notModified,
    },
    errors: [403, 404],
  },

  listModelEndpoints: {
    tag: 'Models',
    route: 'GET /models/{author}/{slug}/endpoints',
    summary: 'List the endpoints of a model',
    description:
      'Lists the endpoints with their recent performance for all callers, measured about once a minute.',
    headers,
    params: modelParams,
    responses: {
      200: {
        description: 'The endpoints of the model, best first.',
        schema: modelEndpoints,
        headers: ENTITY_TAG_HEADERS,
        example: examples.modelEndpoints,
      },
      ...notModified,
    },
    errors: [403, 404],
  },

  listZdrEndpoints: {
    tag: 'Models',
    route: 'GET /endpoints/zdr',
    summary: 'List the endpoints with zero data retention',
    description: 'Lists the endpoints that `provider.zdr` allows.',
    headers,
    responses: {
      200: {
        description: 'All of them.',
        headers: ENTITY_TAG_HEADERS,
        ...recordsOf('ZdrEndpointList', modelEndpoint, examples.endpoint),
      },
      ...notModified,
    },
    errors: [403],
  },

  listProviders: {
    route: 'GET /providers',
    tag: 'Providers',
    summary: 'List providers',
    description: 'Lists the providers that serve at least one model.',
    headers,
    responses: {
      200: {
        description: 'All of them.',
        headers: ENTITY_TAG_HEADERS,
        ...recordsOf('ProviderList', provider, examples.provider),
      },
      ...notModified,
    },
  },
});
