import type { Readable } from 'node:stream';

const EXCERPT_BYTES = 1_024;

/**
 * Reads at most 1 KiB of an answer, as text for the delivery log, and no more. Returns the part that arrived when an
 * answer breaks off or never ends, because the status alone decides.
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
    // Cut by the receiver, or by the time that an attempt may take.
  }
  // Postgres text holds no NUL.
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '');
}
