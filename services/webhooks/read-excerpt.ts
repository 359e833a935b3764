import type { Readable } from 'node:stream';

const EXCERPT_BYTES = 1_024;

/**
 * Reads 1 KiB of an answer at most, as text for the delivery log. When the answer breaks off or never ends, returns the
 * part that arrived, because the status alone decides.
 */
export async function readExcerpt(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= EXCERPT_BYTES) break;
    }
  } catch {
    // The receiver or the timeout of the attempt cut the answer off.
  }
  // Postgres does not accept NUL in text.
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '');
}
