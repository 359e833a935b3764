import { z } from 'zod';
import { errorDetails } from '../errors.ts';

/** The error envelope of operations in Cohere's dialect. */
export const cohereErrorEnvelope = z
  .object({
    message: z.string().meta({ description: 'Names the first invalid field, if there is one.' }),
    metadata: errorDetails.optional(),
  })
  .meta({
    id: 'CohereError',
    description: 'The body of every error response of `POST /api/v2/rerank`.',
  });

export type CohereErrorEnvelope = z.output<typeof cohereErrorEnvelope>;
