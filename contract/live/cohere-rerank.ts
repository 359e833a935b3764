/** Declares the rerank operation in Cohere's dialect. */
import { z } from 'zod';
import { refuseTextOnly } from './generation-request.ts';
import { GENERATION_HEADERS } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { dropNulls, orNull } from '../or-null.ts';
import { rank, rerankBody, rerankFields, rerankOperation } from './rerank.ts';

/**
 * The body of Cohere's `POST /v2/rerank`, with the gateway's own fields. Unknown fields are passed to the upstream
 * unchanged.
 */
const cohereRerankRequest = z
  .looseObject({
    ...rerankFields,
    max_tokens_per_doc: orNull(z.int().min(1)).meta({
      description:
        'The maximum number of tokens of each document that the provider reads. The provider may ignore it.',
    }),
  })
  .overwrite(dropNulls('max_tokens_per_doc'))
  .superRefine(refuseTextOnly)
  .meta({ id: 'CohereRerankRequest' });

export const cohereRanking = z
  .object({
    id: z.string().meta({ description: 'The id of the generation: see `GET /generation`.' }),
    results: z.array(z.object(rank)).meta({ description: 'The most relevant first.' }),
    meta: z.object({
      api_version: z.object({ version: z.literal('2') }),
      billed_units: z.object({
        search_units: z.number().optional().meta({ description: 'Set if the provider counts searches.' }),
        input_tokens: z.int().optional().meta({ description: 'Set if the provider counts tokens.' }),
      }),
    }),
  })
  .meta({ id: 'CohereRanking' });

export type CohereRankingBody = z.output<typeof cohereRanking>;

export const cohereRerankOperations = defineOperations(rerankOperation, {
  createCohereRerank: {
    route: 'POST /api/v2/rerank',
    base: 'root',
    summary: 'Sort documents, in Cohere’s dialect',
    description: 'Does what `POST /api/v1/rerank` does, in the format that Cohere’s own clients use.',
    body: { ...rerankBody, schema: cohereRerankRequest },
    errorShape: 'cohere',
    responses: {
      200: {
        description: 'The indexes of the documents, the most relevant first.',
        schema: cohereRanking,
        headers: GENERATION_HEADERS,
        example: {
          id: 'gen-1767225600000-abcdefghijklmnopqrst',
          results: [{ index: 0, relevance_score: 0.585 }],
          meta: { api_version: { version: '2' }, billed_units: { search_units: 1, input_tokens: 33 } },
        },
      },
    },
    errors: [402, 404, 429, 502, 503, 524, 529],
  },
});
