import { createHash } from 'node:crypto';

/**
 * A vector of length one out of the words of a text, or out of token numbers: each adds or takes one at a place that
 * its hash decides. It knows no meaning; texts are near each other when they share words. The same text always makes
 * the same vector.
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
  // Words that cancel each other out still have a direction.
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}
