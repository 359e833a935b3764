import { z } from 'zod';
import { errorDetails } from '../errors.ts';

/** The error envelope of operations in Cohere's dialect. */
export const cohereErrorEnvelope = z
  .object({
    message: z.string().meta({ description: 'Names the first field that is wrong, if one is.' }),
    metadata: errorDetails.optional(),
  })
  .meta({
    id: 'CohereError',
    description: 'Every answer of `POST /api/v2/rerank` that is not a success has this body.',
  });

export type CohereErrorEnvelope = z.output<typeof cohereErrorEnvelope>;
