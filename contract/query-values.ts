/** Provides schemas for numbers, lists, flags and pages in query strings. */
import { z } from 'zod';
import { text } from './text.ts';

interface IntegerRule {
  min: number;
  max?: number;
}

/** Returns the schema of a whole number in a query string. */
export function queryInteger({ min, max = Number.MAX_SAFE_INTEGER }: IntegerRule) {
  return (
    z
      .string()
      .regex(/^-?\d{1,16}$/, 'must be a whole number')
      // Adding 0 turns -0 into 0.
      .transform((digits) => Number(digits) + 0)
      .pipe(z.int().min(min).max(max))
  );
}

/** Returns the schema of a number in a query string. */
export function queryNumber({ min, max }: Required<IntegerRule>) {
  return z
    .string()
    .regex(/^-?\d{1,16}(\.\d{1,20})?(e-?\d{1,2})?$/i, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

const MAX_LIST_LENGTH = 2_048;

/**
 * Returns the schema of comma-separated names in a query string; `listOf` splits them. Without `allowed`, all names are
 * valid.
 */
export function queryList(allowed?: readonly string[]) {
  const known = allowed && new Set(allowed);
  const isName = (name: string): boolean => known?.has(name) ?? name !== '';
  return text({ max: MAX_LIST_LENGTH }).refine(
    (value) => listOf(value).every(isName),
    `must be ${known === undefined ? 'names' : `some of ${[...known].join(', ')}`}, separated by commas`,
  );
}

/** Returns the names of a `queryList`. */
export function listOf(value: string): string[] {
  return value.split(',').map((name) => name.trim());
}

/** Returns the schema of `true` or `false` in a query string. */
export function queryFlag() {
  return z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .pipe(z.boolean());
}

/** The `limit` and `offset` of lists. */
export const pageQuery = {
  limit: queryInteger({ min: 1, max: 100 })
    .default(50)
    .meta({ description: 'The maximum number of records to return.' }),
  offset: queryInteger({ min: 0, max: 2_147_483_647 })
    .default(0)
    .meta({ description: 'The number of records to skip.' }),
};
