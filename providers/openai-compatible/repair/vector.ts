/** Converts vectors to the encoding that the caller asked for. */
import { malformedAnswer } from '../../answer-checks.ts';
import type { NoteRepair } from '../../repairs.ts';

/** The encodings of a vector: a list of numbers, or base64 of 32-bit floats, little-endian. */
export type VectorEncoding = 'float' | 'base64';

/** The bytes of a float. */
const FLOAT_BYTES = 4;

/**
 * Returns a vector in the wanted encoding, and as it came if it has that one. Some servers ignore `encoding_format`,
 * and some put a vector into a list of its own. Throws ProviderError for anything but a vector.
 */
export function toEncoding(vector: unknown, wanted: VectorEncoding, note: NoteRepair): number[] | string {
  const flat: unknown = Array.isArray(vector) && Array.isArray(vector[0]) ? vector[0] : vector;
  if (typeof flat === 'string') return wanted === 'base64' ? flat : noted(fromBase64(flat), note);
  if (!Array.isArray(flat) || flat.length === 0 || typeof flat[0] !== 'number')
    throw malformedAnswer('an entry without an embedding');
  const numbers = flat as number[];
  if (wanted === 'base64') return noted(toBase64(numbers), note);
  return flat === vector ? numbers : noted(numbers, note);
}

function noted<T>(repaired: T, note: NoteRepair): T {
  note('embedding');
  return repaired;
}

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % FLOAT_BYTES !== 0)
    throw malformedAnswer('a vector that is no base64 of floats');
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}

function toBase64(numbers: readonly number[]): string {
  const bytes = Buffer.alloc(numbers.length * FLOAT_BYTES);
  for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, at * FLOAT_BYTES);
  return bytes.toString('base64');
}
