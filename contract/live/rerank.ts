/** Declares the rerank operation with its request and answer. */
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
import { dropNulls, orNull } from '../or-null.ts';
import { defineOperations } from '../operation.ts';
import { mediaUrl } from '../text.ts';

const MAX_DOCUMENTS = 10_000;

const documentForm = { text: orNull(z.string()), image: orNull(mediaUrl('image')) };

const documentToRank = z
  .union(
    [
      z.string(),
      z
        .object(documentForm)
        .overwrite(dropNulls('text', 'image'))
        .refine(({ text, image }) => text !== undefined || image !== undefined, 'needs a text or an image'),
    ],
    'must be a text, or an object with `text`, with `image` (a http, https or data URL), or with both',
  )
  .meta({ id: 'RerankDocument' });

export const rerankFields = {
  model: modelName,
  models: fallbackModels,
  query: z.string().min(1),
  documents: z.array(documentToRank).min(1).max(MAX_DOCUMENTS),
  top_n: z.int().min(1).nullable().optional().meta({
    description: 'The maximum number of documents to return, the most relevant first. Absent: all.',
  }),
  usage: usageAccounting,
  ...gatewayFields,
};

/** The body of POST /rerank. Unknown fields are passed to the upstream unchanged. */
const rerankRequest = z.looseObject(rerankFields).superRefine(refuseTextOnly).meta({ id: 'RerankRequest' });

/** The rank of a document, in both dialects. */
export const rank = {
  index: z.int().meta({ description: 'The index of the document in the request.' }),
  relevance_score: z.number(),
};

export const ranking = z
  .object({
    id: z.string().meta({ description: 'The id of the generation: see `GET /generation`.' }),
    model: z.string(),
    provider: z.string(),
    results: z
      .array(
        z.object({
          ...rank,
          document: z.object(documentForm).overwrite(dropNulls('text', 'image')),
        }),
      )
      .meta({ description: 'The most relevant first.' }),
    usage: z.object({
      search_units: z.number().optional().meta({ description: 'Set if the provider counts searches.' }),
      total_tokens: z.int().optional().meta({ description: 'Set if the provider counts tokens.' }),
      cost: z.number().meta({ description: 'US dollars charged to your account.' }),
    }),
  })
  .meta({ id: 'Ranking' });

export type RankingBody = z.output<typeof ranking>;

/** The properties of the operation in both dialects. */
export const rerankOperation = { ...generationOperation, tag: 'Rerank' } as const;

/** The body in both dialects, without its schema. */
export const rerankBody = {
  limit: 'generation',
  maxEntries: MAX_DOCUMENTS,
  examples: {
    texts: {
      summary: 'The best of three texts',
      value: {
        model: 'local/rerank-1',
        query: 'How high did the river rise?',
        documents: ['The river rose two meters.', 'The bridge was built in 1911.', 'Rain is expected.'],
        top_n: 1,
      },
    },
  },
} as const;

export const rerankOperations = defineOperations(rerankOperation, {
  createRerank: {
    route: 'POST /rerank',
    errorMessages: 'exact',
    summary: 'Sort documents by how well they answer a query',
    body: { ...rerankBody, schema: rerankRequest },
    responses: {
      200: {
        description: 'The documents, the most relevant first.',
        schema: ranking,
        headers: GENERATION_HEADERS,
        example: {
          id: 'gen-1767225600000-abcdefghijklmnopqrst',
          model: 'local/rerank-1',
          provider: 'Local upstream',
          results: [{ index: 0, relevance_score: 0.585, document: { text: 'The river rose two meters.' } }],
          usage: { search_units: 1, total_tokens: 33, cost: 0.0001 },
        },
      },
    },
    errors: [402, 404, 502, 524, 529],
  },
});
