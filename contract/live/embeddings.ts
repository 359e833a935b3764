/** Declares the embeddings operation with its request and answer. */
import { z } from 'zod';
import {
  fallbackModels,
  gatewayFields,
  generationOperation,
  modelName,
  refuseTextOnly,
  usageAccounting,
} from './generation-request.ts';
import { GENERATION_HEADERS } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { usage } from './usage.ts';

const MAX_INPUTS = 2_048;
const MAX_TOKENS = 300_000;

const input = z.union(
  [
    z.string().min(1),
    z.array(z.string()).min(1).max(MAX_INPUTS),
    z.array(z.int().min(0)).min(1).max(MAX_TOKENS),
    z
      .array(z.array(z.int().min(0)).min(1).max(MAX_TOKENS))
      .min(1)
      .max(MAX_INPUTS),
    z
      .array(z.looseObject({ content: z.array(z.looseObject({ type: z.string() })).min(1) }))
      .min(1)
      .max(MAX_INPUTS),
  ],
  `must be a text, up to ${MAX_INPUTS} texts, or the same as tokens or parts`,
);

/** The body of POST /embeddings. Unknown fields are passed to the upstream unchanged. */
const embeddingsRequest = z
  .looseObject({
    model: modelName,
    models: fallbackModels,
    input,
    dimensions: z.int().min(1).nullable().optional(),
    encoding_format: z.enum(['float', 'base64']).nullable().optional(),
    input_type: z.string().nullable().optional(),
    usage: usageAccounting,
    ...gatewayFields,
  })
  .superRefine(refuseTextOnly)
  .meta({ id: 'EmbeddingsRequest' });

export const embeddingList = z
  .looseObject({
    id: z.string().meta({ description: 'The id of the generation: see `GET /generation`.' }),
    object: z.literal('list'),
    model: z.string(),
    provider: z.string(),
    data: z.array(
      z.looseObject({
        object: z.literal('embedding'),
        embedding: z.union([z.array(z.number()), z.string()]),
        index: z.int(),
      }),
    ),
    usage: usage.optional(),
  })
  .meta({ id: 'EmbeddingList' });

export type EmbeddingListBody = z.output<typeof embeddingList>;

export const embeddingOperations = defineOperations(generationOperation, {
  createEmbeddings: {
    route: 'POST /embeddings',
    tag: 'Embeddings',
    summary: 'Embed text',
    body: {
      schema: embeddingsRequest,
      limit: 'generation',
      maxEntries: MAX_TOKENS,
      examples: {
        one: {
          summary: 'One text',
          value: { model: 'local/embed-1', input: 'The river rose in the night.' },
        },
      },
    },
    responses: {
      200: {
        description: 'The vectors, in the order of the input.',
        schema: embeddingList,
        headers: GENERATION_HEADERS,
        example: {
          id: 'gen-1767225600000-abcdefghijklmnopqrst',
          object: 'list',
          model: 'local/embed-1',
          provider: 'Local upstream',
          data: [{ object: 'embedding', index: 0, embedding: [0.12, -0.03] }],
          usage: { prompt_tokens: 6, completion_tokens: 0, total_tokens: 6, cost: 0.0000006, is_byok: false },
        },
      },
    },
    errors: [402, 404, 408, 502, 524, 529],
  },
});
