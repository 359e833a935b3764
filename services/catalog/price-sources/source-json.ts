/** Reads single values of untrusted JSON from price sources. */
import { isFields, type Fields } from '../../../domain/fields.ts';
import { PriceSourceError } from './source-model.ts';

/** The most models of a source: ten times those of the largest known one. */
const MAX_MODELS = 50_000;
const MAX_NAME = 256;
const MAX_TOKENS = 2_147_483_647;

/** Returns the entries of an object. Throws if the value is no object, or has too many of them. */
export function entriesOf(value: unknown, place: string): [string, unknown][] {
  const entries = Object.entries(fieldsOf(value, place));
  limitCount(entries.length, place);
  return entries;
}

/** Returns the value as an object. */
export function fieldsOf(value: unknown, place: string): Fields {
  if (isFields(value)) return value;
  throw new PriceSourceError(`${place} must be an object`);
}

/** Returns the value as a list. An absent one is empty. */
export function listOf(value: unknown, place: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new PriceSourceError(`${place} must be a list`);
  limitCount(value.length, place);
  return value;
}

function limitCount(count: number, place: string): void {
  if (count > MAX_MODELS) throw new PriceSourceError(`${place} has more than ${MAX_MODELS} entries`);
}

/** Returns a name that a terminal and the database can take. */
export function nameOf(value: unknown, place: string): string {
  if (typeof value === 'string' && value.length <= MAX_NAME && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value))
    return value;
  throw new PriceSourceError(
    `${place} must be a name of at most ${MAX_NAME} characters, without control characters`,
  );
}

/** Returns a positive count of tokens. Another value is unknown, because sources write texts and zeros there. */
export function tokensOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MAX_TOKENS
    ? (value as number)
    : undefined;
}

/** Returns a day as `YYYY-MM-DD`. A month stands for its last day. Another value is unknown. */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}(-\d{2})?$/.test(value)) return undefined;
  const [year = '', month = '', day] = value.split('-');
  const date = day === undefined ? new Date(Date.UTC(Number(year), Number(month), 0)) : new Date(value);
  if (Number.isNaN(date.getTime())) return undefined;
  const text = date.toISOString().slice(0, 10);
  return text.startsWith(value) ? text : undefined;
}
