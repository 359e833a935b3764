/** Converts vectors to the encoding that the caller asked for. */
import { malformedAnswer } from '../../answer-checks.ts';
import type { NoteRepair } from '../../repairs.ts';

/** The encodings of a vector: a list of numbers, or base64 of 32-bit floats, little-endian. */
export type VectorEncoding = 'float' | 'base64';

/** The vector that the caller asked for. */
export interface WantedVector {
  encoding: VectorEncoding;
  /** The numbers that the vector must have; undefined for any number. */
  dimensions: number | undefined;
}

/** The bytes of a float. */
const FLOAT_BYTES = 4;

/** Matches base64, also with the characters for URLs. */
const BASE64 = /^[\w+/-]+={0,2}$/;

/**
 * Returns a vector in the wanted encoding, and as it came if it has that one. Some servers ignore `encoding_format`,
 * some put a vector into a list of its own, and some send a list as text. Throws ProviderError for anything but a
 * vector, and for one with another number of dimensions than wanted.
 */
export function toEncoding(
  vector: unknown,
  { encoding, dimensions }: WantedVector,
  note: NoteRepair,
): number[] | string {
  const flat = listIn(
    Array.isArray(vector) && vector.length === 1 && Array.isArray(vector[0]) ? vector[0] : vector,
  );
  const length = typeof flat === 'string' ? floatsIn(flat) : numbersIn(flat);
  if (dimensions !== undefined && length !== dimensions)
    throw malformedAnswer('a vector with another number of dimensions than requested');
  if (typeof flat === 'string') return encoding === 'base64' ? flat : noted(fromBase64(flat), note);
  const numbers = flat as number[];
  if (encoding === 'base64') return noted(toBase64(numbers), note);
  return flat === vector ? numbers : noted(numbers, note);
}

function noted<T>(repaired: T, note: NoteRepair): T {
  note('embedding');
  return repaired;
}

/** Returns the list that a text holds as JSON, or else the value itself. */
function listIn(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\[/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Returns the length of a list. Throws for a list with anything but numbers, and for an empty one. */
function numbersIn(list: unknown): number {
  if (Array.isArray(list) && list.length > 0 && list.every((entry) => typeof entry === 'number'))
    return list.length;
  throw malformedAnswer('an entry without an embedding');
}

/** Returns the number of floats in base64. Throws for other texts. */
function floatsIn(text: string): number {
  const bytes = Buffer.byteLength(text, 'base64');
  if (BASE64.test(text) && bytes > 0 && bytes % FLOAT_BYTES === 0) return bytes / FLOAT_BYTES;
  throw malformedAnswer('a vector that is no base64 of floats');
}

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}

function toBase64(numbers: readonly number[]): string {
  const bytes = Buffer.alloc(numbers.length * FLOAT_BYTES);
  for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, at * FLOAT_BYTES);
  return bytes.toString('base64');
}
