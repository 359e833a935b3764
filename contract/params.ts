/** Provides the parameters of paths that name one record. */
import { z } from 'zod';

/**
 * Returns the `id` of a path that names a record. It may be any string: one that names no record of the organization is
 * a 404, not a 400.
 */
export function idParams(record: string, example: string) {
  return z.object({
    id: z.string().meta({ description: `The id of the ${record}.`, examples: [example] }),
  });
}
