/** Provides the answers that the operations of many resources give: one record, a list, one page, a deletion. */
import { z } from 'zod';

/** Returns the body of an answer with one record. `id` names its schema in the published description. */
export function answerWith<Item extends z.ZodType>(id: string, item: Item, example: unknown) {
  return { schema: z.object({ data: item }).meta({ id }), example: { data: example } };
}

/** Returns the body of an answer with a list of records, without their number. */
export function recordsOf<Item extends z.ZodType>(id: string, item: Item, example: unknown) {
  return { schema: z.object({ data: z.array(item) }).meta({ id }), example: { data: [example] } };
}

/** Returns the body of an answer with one page of records and the number of all. */
export function pageOf<Item extends z.ZodType>(id: string, item: Item, example: unknown) {
  return {
    schema: z.object({ data: z.array(item), total_count: z.int() }).meta({ id }),
    example: { data: [example], total_count: 1 },
  };
}

/** Returns the body of an answer to the deletion of a record. */
export function deletion(id: string) {
  return { schema: z.object({ deleted: z.literal(true) }).meta({ id }), example: { deleted: true } };
}
