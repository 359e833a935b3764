/** Records the generations of spool files in the ledger when an operator runs `admin spool replay`. */
import { createLedgerConnection, type LedgerConnection } from '../db/ledger/ledger-connection.ts';
import { shardOfProcess } from '../domain/shard.ts';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import type { Logger } from '../platform/logger.ts';
import { replaySpool } from '../services/ledger/spool/replay-spool.ts';
import { createSpool, type Spool } from '../services/ledger/spool/spool.ts';
import { listAside, listSpools, SpoolFileError } from '../services/ledger/spool/spool-files.ts';
import { type Report, pickVerb, positionalsOf, wrongUsage, AdminUsageError } from './arguments.ts';

export const SPOOL_USAGE = 'spool replay [DIRECTORY]';

const SILENCE_MS = 30_000;

export interface SpoolOptions {
  databaseUrl: string;
  /** The value of SPOOL_DIR; undefined when it is not set. */
  directory: string | undefined;
  logger: Logger;
}

/**
 * Replays every spool in the directory, including those of running processes. Returns the text to print, with the files
 * that need attention, and whether there are none.
 */
export async function runSpool(options: SpoolOptions, args: string[]): Promise<Report> {
  const [, rest] = pickVerb('spool', ['replay'], args);
  const [directory = options.directory] = positionalsOf('spool', ['[DIRECTORY]'], rest);
  if (directory === undefined) throw wrongUsage('spool', 'neither DIRECTORY nor SPOOL_DIR is given');
  await requireFolder(directory);
  const spool = await createSpool({ directory, maxBytes: 0 });
  const connection = createLedgerConnection({
    url: options.databaseUrl,
    shard: shardOfProcess(os.hostname(), process.pid),
    silenceMs: SILENCE_MS,
  });
  try {
    const outcomes: { line: string; isDone: boolean }[] = [];
    for (const file of await listSpools(directory)) {
      outcomes.push(...(await replayOne({ spool, connection, logger: options.logger }, file)));
    }
    const aside = await listAside(directory);
    const lines = outcomes.map(({ line }) => line);
    if (lines.length === 0) lines.push(`There is no spool in ${directory}.`);
    lines.push(...aside.map((file) => `${file}: set aside; some of its records are not in the ledger`));
    return {
      text: lines.join('\n'),
      isDone: aside.length === 0 && outcomes.every(({ isDone }) => isDone),
    };
  } finally {
    await connection.close();
  }
}

/** Refuses a folder that is not there, because a spool would otherwise be created in it and found empty. */
async function requireFolder(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new AdminUsageError(`There is no folder ${directory}`);
}

interface ReplayDeps extends Pick<SpoolOptions, 'logger'> {
  spool: Spool;
  connection: LedgerConnection;
}

/** Replays one file. A file that another process took first is not reported. */
async function replayOne(
  { spool, connection, logger }: ReplayDeps,
  file: string,
): Promise<{ line: string; isDone: boolean }[]> {
  try {
    const mine = await spool.takeOver(file);
    if (mine === undefined) return [];
    const { generations, damaged } = await replaySpool({ connection, logger }, mine);
    const damage = damaged === 0 ? '' : `, ${damaged} records damaged`;
    return [{ line: `${file}: ${generations} generations${damage}`, isDone: true }];
  } catch (error) {
    if (!(error instanceof SpoolFileError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    return [{ line: `${file}: ${reason}`, isDone: false }];
  }
}
