import type { LedgerConnection } from '../../../db/ledger/ledger-connection.ts';
import type { Logger } from '../../../platform/logger.ts';
import { replaySpool } from './replay-spool.ts';
import type { Spool } from './spool.ts';
import { isMissing, listAbandoned, SpoolFileError } from './spool-files.ts';
import type { WriteDeps } from '../write-batch.ts';

export interface ReplayerOptions {
  spool: Spool | undefined;
  /** Its own connection: a long replay must not hold the batches back. */
  connect(): LedgerConnection;
  onLogged?: WriteDeps['onLogged'];
  logger: Logger;
}

export interface Replayer {
  /** Postgres is there: what this process has in its spool, and what others left behind, is written now. */
  wake(): void;
  /** A replay under way is broken off; whoever comes next begins it anew. */
  close(): Promise<void>;
}

/** How often the spools of processes that are gone are looked for. */
const LOOK_EVERY_MS = 30_000;

/** Replays spools at the start, whenever Postgres is back, and every half minute what a neighbor left behind. */
export function createReplayer({ spool, connect, onLogged, logger }: ReplayerOptions): Replayer {
  if (spool === undefined) return { wake: () => {}, close: () => Promise.resolve() };
  const connection = connect();
  let replaying: Promise<void> | undefined;
  let isWokenAgain = false;

  const replayAll = async (): Promise<void> => {
    for (const file of await spool.rotate()) await replayOne(file);
    for (const file of await listAbandoned(spool.directory, spool.holder)) {
      const mine = await spool.takeOver(file).catch((error: unknown) => {
        logger.error({ err: error, file }, 'a spool cannot be taken over; the others are replayed');
        return undefined;
      });
      if (mine !== undefined) await replayOne(mine);
    }
  };
  /** One file must not hold up the others. Throws when Postgres is the reason: then no other would fare better. */
  const replayOne = async (file: string): Promise<void> => {
    try {
      const { generations } = await replaySpool({ connection, onLogged, logger }, file);
      logger.info({ file, generations }, 'a spool was replayed');
    } catch (error) {
      if (!(error instanceof SpoolFileError)) throw error;
      // Not there any more: another process took it over while this one was quiet, and replays it.
      if (!isMissing(error.cause)) {
        logger.error({ err: error, file }, 'a spool cannot be replayed now; the others are');
        return;
      }
    }
    spool.forget(file);
  };
  const run = async (): Promise<void> => {
    do {
      isWokenAgain = false;
      try {
        await connection.ping();
        await replayAll();
      } catch (error) {
        logger.warn({ err: error }, 'spools cannot be replayed now; tried again soon');
      }
    } while (isWokenAgain);
    replaying = undefined;
  };
  const wake = (): void => {
    isWokenAgain = true;
    replaying ??= run();
  };

  const timer = setInterval(() => {
    void spool.touch().then(wake);
  }, LOOK_EVERY_MS).unref();
  wake();
  return {
    wake,
    async close() {
      clearInterval(timer);
      isWokenAgain = false;
      await connection.close();
      await replaying;
    },
  };
}
