/** Decides when spool files are replayed, including files that ended processes left behind. */
import type { LedgerConnection } from '../../../db/ledger/ledger-connection.ts';
import type { Logger } from '../../../platform/logger.ts';
import { replaySpool } from './replay-spool.ts';
import type { Spool } from './spool.ts';
import { isMissing, listAbandoned, SpoolFileError } from './spool-files.ts';
import type { WriteDeps } from '../write-batch.ts';

export interface ReplayerOptions {
  spool: Spool | undefined;
  /** Opens a connection of its own, so that a long replay does not hold up the batches. */
  connect(): LedgerConnection;
  onLogged?: WriteDeps['onLogged'];
  logger: Logger;
}

export interface Replayer {
  /**
   * Starts a replay of the spool of this process and of files that other processes left. The ledger calls it when
   * Postgres is reachable again.
   */
  wake(): void;
  /** Interrupts a running replay; a later replay repeats it. */
  close(): Promise<void>;
}

/** The interval at which the replayer looks for spools of ended processes. */
const CHECK_EVERY_MS = 30_000;

/**
 * Creates the replayer. It replays spools at the start and whenever Postgres is reachable again. Every half minute it
 * also replays files that other processes left.
 */
export function createReplayer({ spool, connect, onLogged, logger }: ReplayerOptions): Replayer {
  if (spool === undefined) return { wake: () => {}, close: () => Promise.resolve() };
  const connection = connect();
  let replaying: Promise<void> | undefined;
  let isWokenAgain = false;

  const replayAll = async (): Promise<void> => {
    for (const file of await spool.rotate()) await replayOne(file);
    for (const file of await listAbandoned(spool.directory, spool.holder)) {
      const ownPath = await spool.takeOver(file).catch((error: unknown) => {
        logger.error({ err: error, file }, 'a spool cannot be taken over; the others are replayed');
        return undefined;
      });
      if (ownPath !== undefined) await replayOne(ownPath);
    }
  };
  /**
   * Replays one file. A fault of the file does not hold up the others. Throws when Postgres is the cause, because the
   * other files would fail too.
   */
  const replayOne = async (file: string): Promise<void> => {
    try {
      const { generations } = await replaySpool({ connection, onLogged, logger }, file);
      logger.info({ file, generations }, 'a spool was replayed');
    } catch (error) {
      if (!(error instanceof SpoolFileError)) throw error;
      // A missing file was taken over by another process, because this one had not touched it for a minute.
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
  }, CHECK_EVERY_MS).unref();
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
