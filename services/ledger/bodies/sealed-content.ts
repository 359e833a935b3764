import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync } from 'node:zlib';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { Encryption } from '../../../platform/encryption.ts';

/** Up to this size, handing the work to another thread takes longer than the work. */
const SMALL_BYTES = 16 * 1024;

const decompressElsewhere = promisify(gunzip);

/** The tables that hold content. What lies in one does not open in the other. */
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

/** Encrypts content that a dead letter keeps. */
export function sealDeadContent(
  encryption: Pick<Encryption, 'seal'>,
  generationId: string,
  content: BroadcastContent,
): string {
  return sealContent(encryption, 'broadcast_dead_letters', generationId, gzipSync(JSON.stringify(content)));
}

/** Returns null for what was altered, moved, or encrypted with a key that is not configured any more. */
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
    // The generation must arrive all the same.
    return null;
  }
}

/** Opens the content of a row of `broadcast_bodies`. Returns null where `openContent` does. */
export function openBody(
  encryption: Pick<Encryption, 'open'>,
  generationId: string,
  sealed: Buffer,
): Promise<BroadcastContent | null> {
  return openContent(encryption, 'broadcast_bodies', generationId, sealed.toString('latin1'));
}

/** The place of content, to which it is bound. */
export function contentContext(table: ContentTable, generationId: string): string {
  return `${table}:${generationId}`;
}
