import { z } from 'zod';

/** Only what the adapter uses of the video object; other servers leave fields out or send null. */
export const operationSchema = z.object({
  id: z
    .string()
    .min(1)
    .max(500)
    .refine((id) => id !== '.' && id !== '..', 'must name something in a path'),
});

export const videoSchema = z.object({
  status: z.string(),
  progress: z.number().nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish().catch(null),
});

export type Video = z.output<typeof videoSchema>;

export const listSchema = z.object({ data: z.array(operationSchema) });
/** For answers of which only the success matters. */
export const anySchema = z.unknown();
