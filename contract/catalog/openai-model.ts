/** Declares the operations that return a model in the shape that OpenAI's clients read. */
import { z } from 'zod';
import { conditionalHeaders, ENTITY_TAG_HEADERS } from '../headers.ts';
import { model } from './model.ts';
import * as examples from './model-examples.ts';
import { modelParams } from './models.ts';
import { defineOperations, type OperationDefinition } from '../operation.ts';

export const openaiModel = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds.' }),
    owned_by: z.string().meta({ description: 'The author of the model.' }),
    data: model,
  })
  .meta({ id: 'OpenAiModel' });

export type OpenAiModel = z.output<typeof openaiModel>;

const { model: example } = examples;

const retrieval = {
  access: 'any',
  tag: 'Models',
  headers: conditionalHeaders,
  responses: {
    200: {
      description: 'The model.',
      schema: openaiModel,
      headers: ENTITY_TAG_HEADERS,
      example: {
        id: example.id,
        object: 'model',
        created: example.created,
        owned_by: 'openai',
        data: example,
      },
    },
    304: { description: 'The client already has this version.' },
  },
  errors: [403, 404],
} as const satisfies Partial<OperationDefinition>;

export const openAiModelOperations = defineOperations(retrieval, {
  getOpenAiModel: {
    route: 'GET /models/{author}/{slug}',
    summary: 'Get a model as OpenAI’s clients read it',
    description:
      'Returns the fields of OpenAI’s models; `data` holds the fields of `GET /model/{author}/{slug}`.',
    params: modelParams,
  },

  getOpenAiModelByName: {
    route: 'GET /models/{name}',
    summary: 'Get a model by its whole name in one segment',
    description:
      'Does what `GET /models/{author}/{slug}` does, for clients that encode the slash, such as OpenAI’s, and for aliases without a slash.',
    params: z.object({ name: z.string().meta({ examples: ['openai%2Fgpt-5.1'] }) }),
  },
});
