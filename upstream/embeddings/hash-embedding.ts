import { createHash } from 'node:crypto';

/**
 * Returns a vector of length one for a text or token numbers: each word adds or subtracts one at an index given by its
 * hash. Texts are similar if they share words. The same text always gives the same vector.
 */
export function hashEmbedding(input: string | number[], dimensions: number): Float32Array {
  const words = typeof input === 'string' ? (input.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [input]) : input;
  const vector = new Float32Array(dimensions);
  for (const word of words) {
    const digest = createHash('sha256').update(String(word)).digest();
    const place = digest.readUInt32LE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + ((digest[4] ?? 0) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  // Words that cancel each other out give a vector of zeros, which has no direction.
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}
