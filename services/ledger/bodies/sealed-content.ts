/** Encrypts and decrypts the prompts and answers that wait in Postgres for observability destinations. */
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync } from 'node:zlib';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { Encryption } from '../../../platform/encryption.ts';

/**
 * The largest size that is decompressed on this thread. Handing less to another thread takes longer than decompressing
 * it.
 */
const SMALL_BYTES = 16 * 1024;

const decompressElsewhere = promisify(gunzip);

/** The tables that hold content. Content from one table cannot be decrypted as a row of the other. */
export type ContentTable = 'broadcast_bodies' | 'broadcast_dead_letters';

/** Encrypts compressed content for one generation. */
export function sealContent(
  encryption: Pick<Encryption, 'seal'>,
  table: ContentTable,
  generationId: string,
  compressed: Buffer,
): string {
  return encryption.seal(compressed, contentContext(table, generationId));
}

/** Encrypts the content of a dead letter. */
export function sealDeadContent(
  encryption: Pick<Encryption, 'seal'>,
  generationId: string,
  content: BroadcastContent,
): string {
  return sealContent(encryption, 'broadcast_dead_letters', generationId, gzipSync(JSON.stringify(content)));
}

/** Decrypts content. Returns null when it was altered or moved, or when its key is no longer configured. */
export async function openContent(
  encryption: Pick<Encryption, 'open'>,
  table: ContentTable,
  generationId: string,
  sealed: string,
): Promise<BroadcastContent | null> {
  try {
    const compressed = encryption.open(sealed, contentContext(table, generationId));
    const json =
      compressed.length > SMALL_BYTES ? await decompressElsewhere(compressed) : gunzipSync(compressed);
    return JSON.parse(json.toString('utf8')) as BroadcastContent;
  } catch {
    // Deliver the generation without its content.
    return null;
  }
}

/** Decrypts the content of a row of `broadcast_bodies`. Returns null for the same reasons as `openContent`. */
export function openBody(
  encryption: Pick<Encryption, 'open'>,
  generationId: string,
  sealed: Buffer,
): Promise<BroadcastContent | null> {
  return openContent(encryption, 'broadcast_bodies', generationId, sealed.toString('latin1'));
}

/** Returns the context that encrypted content is bound to. */
export function contentContext(table: ContentTable, generationId: string): string {
  return `${table}:${generationId}`;
}
