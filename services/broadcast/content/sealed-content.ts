import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { Encryption } from '../../../platform/encryption.ts';

const decompress = promisify(gunzip);

/** The tables that hold content. What lies in one does not open in the other. */
export type ContentTable = 'broadcast_bodies' | 'broadcast_dead_letters';

/** Encrypts compressed content for one generation. */
export function sealContent(
  encryption: Pick<Encryption, 'seal'>,
  table: ContentTable,
  generationId: string,
  compressed: Buffer,
): string {
  return encryption.seal(compressed, contextOf(table, generationId));
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
    const json = await decompress(encryption.open(sealed, contextOf(table, generationId)));
    return JSON.parse(json.toString('utf8')) as BroadcastContent;
  } catch {
    // The generation must arrive all the same.
    return null;
  }
}

function contextOf(table: ContentTable, generationId: string): string {
  return `${table}:${generationId}`;
}
