/** Defines the parts of OpenAI's video answers that the adapter reads. */
import { z } from 'zod';
import { readErrorFields } from '../error-fields.ts';

/** The fields of the video object that the adapter uses. Some servers omit fields or send null. */
export const operationSchema = z.object({
  id: z
    .string()
    .min(1)
    .max(500)
    .refine((id) => id !== '.' && id !== '..', 'must name something in a path'),
});

export const videoSchema = z.object({
  status: z.string(),
  // Some servers send a text such as `55%`. Progress decides nothing, so it never fails an answer.
  progress: z.unknown().transform(percentOf).optional(),
  error: z
    .unknown()
    .transform((error) => readErrorFields({ error }))
    .optional(),
});

/** Returns a percentage; undefined for anything else. */
function percentOf(progress: unknown): number | undefined {
  const percent = typeof progress === 'string' ? Number.parseFloat(progress) : progress;
  return typeof percent === 'number' && Number.isFinite(percent) ? percent : undefined;
}

/** A video, beside the whole answer, in which some servers report more than the wire has. */
export const videoAnswer = z.unknown().transform((answer) => ({ video: videoSchema.parse(answer), answer }));

export const listSchema = z.object({ data: z.array(operationSchema) });
/** The schema of answers that the adapter does not read. */
export const anySchema = z.unknown();
