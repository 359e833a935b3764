import { createLedgerConnection } from '../db/ledger-connection.ts';
import { shardOfProcess } from '../domain/shard.ts';
import os from 'node:os';
import type { Logger } from '../platform/logger.ts';
import { replaySpool } from '../services/ledger/replay-spool.ts';
import { createSpool } from '../services/ledger/spool.ts';
import { listSpools } from '../services/ledger/spool-files.ts';
import { AdminUsageError } from './usage-error.ts';

export const SPOOL_USAGE = 'spool replay [DIRECTORY]';

const SILENCE_MS = 30_000;

export interface SpoolOptions {
  databaseUrl: string;
  /** `SPOOL_DIR`, unless another directory is named. */
  directory: string | undefined;
  logger: Logger;
}

/**
 * `admin spool replay`: writes what every spool of the directory holds, also of processes that run, which may go
 * on meanwhile. Returns what is printed.
 */
export async function runSpool(options: SpoolOptions, args: string[]): Promise<string> {
  const [verb, directory = options.directory, ...rest] = args;
  if (verb !== 'replay' || rest.length > 0) throw new AdminUsageError(SPOOL_USAGE);
  if (directory === undefined) throw new AdminUsageError(`SPOOL_DIR is not set.\n${SPOOL_USAGE}`);
  const spool = await createSpool({ directory, maxBytes: 0 });
  const connection = createLedgerConnection({
    url: options.databaseUrl,
    shard: shardOfProcess(os.hostname(), process.pid),
    silenceMs: SILENCE_MS,
  });
  try {
    const lines: string[] = [];
    for (const file of await listSpools(directory)) {
      const mine = await spool.takeOver(file);
      if (mine === undefined) continue;
      const { generations, damaged } = await replaySpool({ connection, logger: options.logger }, mine);
      lines.push(
        `${file}: ${generations} generations${damaged === 0 ? '' : `, ${damaged} records damaged; kept`}`,
      );
    }
    return lines.length === 0 ? `There is no spool in ${directory}.` : lines.join('\n');
  } finally {
    await connection.close();
  }
}
