/** Checks whether the operator and value of an analytics filter fit its dimension. */
import { UUID_PATTERN } from '../ids.ts';
import { type Dimension, DIMENSIONS, type ValueKind } from './analytics-dimensions.ts';
import { type Operator, OPERATORS, type Scalar } from './analytics-query.ts';

/** A broken rule of a filter, at its operator, its value, or one entry of a list of values. */
export interface FilterProblem {
  path: ['operator'] | ['value'] | ['value', number];
  message: string;
}

const ORDERED: ReadonlySet<Operator> = new Set(['gt', 'gte', 'lt', 'lte']);
const KEY_HASH_PATTERN = /^[0-9a-f]{64}$/i;
const USER_PATTERN = /^user_[0-9A-Za-z]+$/;
const PERMASLUG_PATTERN = /^[^/\s]+\/\S+$/;

/** Returns the first broken rule of a filter; undefined if the filter is valid. */
export function problemOfFilter(
  field: Dimension,
  operator: Operator,
  value: Scalar | Scalar[],
): FilterProblem | undefined {
  const { values } = DIMENSIONS[field];
  const isOrdered = ORDERED.has(operator);
  if (isOrdered && values !== 'number' && values !== 'key') {
    const message = `cannot be ${operator}: the values of ${field} are strings, which are not compared by size; use eq, neq, in or not_in`;
    return { path: ['operator'], message };
  }
  if (OPERATORS[operator] === 'array') {
    if (!Array.isArray(value)) return { path: ['value'], message: `must be a list for ${operator}` };
    for (const [index, one] of value.entries()) {
      const message = problemOfValue(values, one);
      if (message !== undefined) return { path: ['value', index], message };
    }
    return undefined;
  }
  if (Array.isArray(value)) return { path: ['value'], message: `must not be a list for ${operator}` };
  const message = problemOfValue(isOrdered ? 'number' : values, value);
  return message === undefined ? undefined : { path: ['value'], message };
}

function problemOfValue(kind: ValueKind, value: Scalar): string | undefined {
  if (kind === 'number') return isId(value) ? undefined : 'must be a numeric id';
  if (kind === 'key') {
    const isHash = typeof value === 'string' && KEY_HASH_PATTERN.test(value);
    return isHash || isId(value)
      ? undefined
      : 'must be the numeric id of a key or its hash of 64 hexadecimal digits';
  }
  if (typeof value !== 'string') return 'must be a string';
  if (kind === 'permaslug' && !PERMASLUG_PATTERN.test(value)) return 'must be a permaslug, <author>/<model>';
  if (kind === 'user' && !USER_PATTERN.test(value)) return 'must be the id of a user, user_<id>';
  if (kind === 'uuid' && !UUID_PATTERN.test(value)) return 'must be the id of a workspace, a UUID';
  if (Array.isArray(kind) && !kind.includes(value)) return `must be one of ${kind.join(', ')}`;
  return undefined;
}

function isId(value: Scalar): boolean {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value);
  return Number.isSafeInteger(value) && value >= 0;
}
