import { parseArgs } from 'node:util';
import { createDatabase } from '../db/postgres/connection.ts';
import type { Config } from '../platform/config.ts';
import { createEncryption } from '../platform/encryption.ts';
import { createObjectStore } from '../platform/create-object-store.ts';
import { rotateEncryption } from '../services/encryption/rotate-encryption.ts';
import type { Report } from './arguments.ts';
import { describeRotation } from './rotation-report.ts';

export const ROTATE_ENCRYPTION_USAGE = 'rotate-encryption [--dry-run]';

const SHOW_EVERY_MS = 2_000;

/**
 * Runs `admin rotate-encryption`: re-wraps every sealed value with the first of ENCRYPTION_KEYS. Returns the text to
 * print, and whether all values could be re-wrapped.
 */
export async function runRotateEncryption(
  config: Pick<Config, 'database' | 'encryption' | 'objectStore'>,
  args: string[],
  print: (line: string) => void,
): Promise<Report> {
  const { values } = parseArgs({ args, options: { 'dry-run': { type: 'boolean', default: false } } });
  const isDryRun = values['dry-run'];
  const { currentKeyId, keys } = config.encryption;
  const keyIds = new Set(keys.keys());
  const database = createDatabase({ url: config.database.url, poolMax: 2, applicationName: 'sluice-admin' });
  try {
    const kinds = await rotateEncryption({
      knex: database.knex,
      objectStore: await createObjectStore(config.objectStore),
      keys: { encryption: createEncryption(config.encryption), currentKeyId, keyIds },
      isDryRun,
      onProgress: createProgressPrinter(print),
    });
    return describeRotation(kinds, { currentKeyId, keyIds, isDryRun });
  } finally {
    await database.close();
  }
}

/** Limits progress to a line every two seconds: one line per page of a large table would be thousands. */
function createProgressPrinter(print: (line: string) => void): (kind: string, read: number) => void {
  let shownAt = -Infinity;
  let shownKind = '';
  return (kind, read) => {
    if (kind === shownKind && performance.now() - shownAt < SHOW_EVERY_MS) return;
    shownAt = performance.now();
    shownKind = kind;
    print(`${kind}: ${read} read`);
  };
}
