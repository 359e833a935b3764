import { z } from 'zod';

/** Only what the adapter uses of the prediction object. */
export const operationSchema = z.object({ id: z.string().regex(/^[\w-]{1,100}$/) });

export const predictionSchema = z.object({
  status: z.string().max(100),
  /** Whatever the model returns. */
  output: z.unknown().optional(),
  /** Documented as text; the vendor's own client does not rely on it. */
  error: z.string().nullish().catch(null),
  /** When the vendor stops the prediction by itself. */
  deadline: z.string().nullish().catch(null),
  completed_at: z.string().nullish().catch(null),
});

export type Prediction = z.output<typeof predictionSchema>;

/** The body of a callback is the prediction. */
export const callbackSchema = operationSchema.extend({ status: z.string().min(1).max(100) });

/** The answer to a cancel: the prediction. The success matters more than its shape. */
export const cancelSchema = z.object({ status: z.string() }).nullable().catch(null);
