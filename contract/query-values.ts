import { z } from 'zod';

interface IntegerRule {
  min: number;
  max?: number;
}

/** A whole number in a query string. */
export function queryInteger({ min, max = Number.MAX_SAFE_INTEGER }: IntegerRule) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** `true` or `false` in a query string. */
export function queryFlag() {
  return z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .pipe(z.boolean());
}

/** `limit` and `offset` of every list that has them. */
export const pageQuery = {
  limit: queryInteger({ min: 1, max: 100 }).default(50).meta({ description: 'How many records at most.' }),
  offset: queryInteger({ min: 0, max: 2_147_483_647 })
    .default(0)
    .meta({ description: 'How many records to skip.' }),
};
