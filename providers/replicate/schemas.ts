/** Defines the parts of Replicate's answers and callbacks that the adapter reads. */
import { z } from 'zod';
import { readErrorFields } from '../error-fields.ts';

/** The id of a prediction. The schemas have only the fields that the adapter uses. */
export const operationSchema = z.object({ id: z.string().regex(/^[\w-]{1,100}$/) });

export const predictionSchema = z.object({
  status: z.string().max(100),
  /** The output of the model, of any type. */
  output: z.unknown().optional(),
  /** The vendor documents a text, but its own client does not rely on that. */
  error: z
    .unknown()
    .transform((error) => readErrorFields({ error }).message)
    .optional(),
  /** The time at which the vendor stops the prediction by itself. */
  deadline: z.string().nullish().catch(null),
  completed_at: z.string().nullish().catch(null),
});

export type Prediction = z.output<typeof predictionSchema>;

/** The body of a callback, which is the prediction. */
export const callbackSchema = operationSchema.extend({ status: z.string().min(1).max(100) });

/** The answer to a cancel, which is the prediction. An answer of another shape is a success too. */
export const cancelSchema = z.object({ status: z.string() }).nullable().catch(null);
