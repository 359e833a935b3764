import { z } from 'zod';
import { text } from './text.ts';

interface IntegerRule {
  min: number;
  max?: number;
}

/** A whole number in a query string. */
export function queryInteger({ min, max = Number.MAX_SAFE_INTEGER }: IntegerRule) {
  return (
    z
      .string()
      .regex(/^-?\d{1,16}$/, 'must be a whole number')
      // A zero with a sign is zero.
      .transform((digits) => Number(digits) + 0)
      .pipe(z.int().min(min).max(max))
  );
}

/** A number in a query string, as clients write them. */
export function queryNumber({ min, max }: Required<IntegerRule>) {
  return z
    .string()
    .regex(/^-?\d{1,16}(\.\d{1,20})?(e-?\d{1,2})?$/i, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

const MAX_LIST_LENGTH = 2_048;

/** Names in a query string, separated by commas; `listOf` takes them apart. Without `allowed`, any names. */
export function queryList(allowed?: readonly string[]) {
  const known = allowed && new Set(allowed);
  const isName = (name: string): boolean => known?.has(name) ?? name !== '';
  return text({ max: MAX_LIST_LENGTH }).refine(
    (value) => listOf(value).every(isName),
    `must be ${known === undefined ? 'names' : `some of ${[...known].join(', ')}`}, separated by commas`,
  );
}

/** The names of a `queryList`. */
export function listOf(value: string): string[] {
  return value.split(',').map((name) => name.trim());
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
