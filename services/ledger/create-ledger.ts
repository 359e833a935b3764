/** Writes finished generations to Postgres in batches, and to the spool on disk during an outage. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { isSilence } from '../../db/postgres/outage.ts';
import type { OutageDetector } from '../../db/postgres/outage-detector.ts';
import { AppError } from '../../domain/errors.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import type { Logger } from '../../platform/logger.ts';
import type { LedgerMetrics } from './ledger-metrics.ts';
import type { Ledger } from './ledger.ts';
import { createReplayer } from './spool/replayer.ts';
import type { Spool } from './spool/spool.ts';
import { createSumming, type Summing } from './summing.ts';
import { type WriteDeps, writeBatch } from './write-batch.ts';
import { createWritePause } from './write-pause.ts';

export interface LedgerOptions {
  /** Opens a connection. It is called thrice, because batches, replays and sums do not wait for each other. */
  connect(): LedgerConnection;
  detector: Pick<OutageDetector, 'run'>;
  /**
   * Stores the rows while Postgres is unreachable. When absent, the rows wait in memory, and new requests are refused.
   */
  spool?: Spool | undefined;
  metrics: LedgerMetrics;
  /** Called as `onLogged` of WriteDeps, also by replays. */
  onLogged?: WriteDeps['onLogged'];
  logger: Logger;
  /** The number of rows waiting for their commit above which new work is refused. */
  maxWaiting?: number;
}

/** The largest number of rows in a batch. In a larger batch, the first row would wait too long for the last. */
const ROWS_PER_BATCH = 500;
const MAX_WAITING = 20_000;
/**
 * The time that the closing process gives requests to hand in their rows, and the ledger to write rows that are only in
 * memory.
 */
const CLOSING_MS = 10_000;

interface Batch {
  rows: GenerationRecord[];
  /** The time at which each row arrived, by `performance.now()`. */
  recordedAtMs: number[];
  /** One promise for all rows, which succeed or fail together. */
  kept: PromiseWithResolvers<void>;
}

/** The rows that wait for their commit, with the connection, pause and replayer that commit them. */
interface LedgerQueue {
  options: LedgerOptions;
  connection: LedgerConnection;
  pause: ReturnType<typeof createWritePause>;
  replayer: ReturnType<typeof createReplayer>;
  summing: Summing;
  batches: Batch[];
  rowsWaiting: number;
  writing: Promise<void> | undefined;
  givesUp: boolean;
}

/**
 * Creates the ledger, which groups commits without a timer. A batch holds the rows that arrived while the previous one
 * was being written, and one batch is written at a time. So a single caller waits only for its own write, and a
 * thousand callers share one commit. A request adds its row to a batch and waits for the promise of that batch.
 */
export function createLedger(options: LedgerOptions): Ledger {
  const { spool, logger, maxWaiting = MAX_WAITING } = options;
  let isClosing = false;
  let isClosed = false;
  const queue = openQueue(options);

  return {
    requireOpen() {
      const isFull = queue.rowsWaiting >= maxWaiting || (queue.pause.isPaused() && spool?.hasRoom() !== true);
      if (isClosing || isFull) throw new AppError('unavailable', { retryAfterSeconds: 5 });
    },
    record(generation) {
      if (isClosed) return storeLate(queue, generation);
      let batch = queue.batches.at(-1);
      if (batch === undefined || batch.rows.length === ROWS_PER_BATCH) {
        batch = { rows: [], recordedAtMs: [], kept: Promise.withResolvers() };
        queue.batches.push(batch);
      }
      batch.rows.push(generation);
      batch.recordedAtMs.push(performance.now());
      queue.rowsWaiting += 1;
      // Write in the next turn of the event loop, so that the batch holds all rows of this turn.
      queue.writing ??= nextTurn().then(() => write(queue));
      return batch.kept.promise;
    },
    isBehind: () => spool !== undefined && !spool.isEmpty(),
    async close(requests = Promise.resolve()) {
      isClosing = true;
      const timeIsUp = Promise.withResolvers<void>();
      const deadline = setTimeout(() => {
        queue.givesUp = true;
        if (queue.rowsWaiting > 0) {
          logger.error(
            { rows: queue.rowsWaiting },
            'generations are lost: neither Postgres nor a spool takes them',
          );
        }
        timeIsUp.resolve();
      }, CLOSING_MS);
      await Promise.race([requests, timeIsUp.promise]);
      while (queue.writing !== undefined) await queue.writing;
      clearTimeout(deadline);
      isClosed = true;
      await queue.pause.close();
      await queue.replayer.close();
      await queue.summing.close();
      await spool?.rotate();
      await queue.connection.close();
    },
  };
}

function openQueue(options: LedgerOptions): LedgerQueue {
  const { spool, onLogged, metrics, logger } = options;
  const connection = options.connect();
  const summing = createSumming({ connection: options.connect(), logger });
  metrics.showAgeOfSums(summing.ageSeconds);
  return {
    options,
    connection,
    pause: createWritePause({ logger, ping: () => options.detector.run(connection.ping) }),
    replayer: createReplayer({ spool, connect: options.connect, onLogged, logger }),
    summing,
    batches: [],
    rowsWaiting: 0,
    writing: undefined,
    givesUp: false,
  };
}

/** Resolves when Postgres or the spool has the rows, so that they survive the end of this process. */
async function store(queue: LedgerQueue, rows: GenerationRecord[]): Promise<void> {
  const { connection, pause, replayer, summing } = queue;
  const { onLogged, logger } = queue.options;
  for (let attempt = 1; attempt === 1 || !queue.givesUp; attempt += 1) {
    if (pause.isPaused()) {
      if (await writeToSpool(queue, rows)) return;
      await pause.nextPing();
      continue;
    }
    try {
      await writeBatch({ connection, isSummedLater: summing.isCurrent, onLogged, logger }, rows);
      return summing.noteWritten(rows.length);
    } catch (error) {
      // The first failure may come from an idle connection that broke earlier, while Postgres works. Retry once.
      if (attempt > 1 || isSilence(error)) pause.begin(error, replayer.wake);
    }
  }
  throw new AppError('unavailable');
}

/** Writes the rows to the spool. Returns false when there is no spool or the write fails. */
async function writeToSpool({ options }: LedgerQueue, rows: GenerationRecord[]): Promise<boolean> {
  const { spool, logger } = options;
  if (spool === undefined) return false;
  try {
    await spool.append(rows);
    return true;
  } catch (error) {
    logger.error({ err: error }, 'the spool cannot be written; generations wait in memory for Postgres');
    return false;
  }
}

async function write(queue: LedgerQueue): Promise<void> {
  const { metrics, logger } = queue.options;
  for (let batch = queue.batches.shift(); batch !== undefined; batch = queue.batches.shift()) {
    const { rows, recordedAtMs, kept } = batch;
    await store(queue, rows)
      .finally(() => (queue.rowsWaiting -= rows.length))
      .then(() => {
        kept.resolve();
        metrics.kept(recordedAtMs);
      }, kept.reject)
      .catch((error: unknown) => logger.error({ err: error }, 'a stored batch is missing in the metrics'));
  }
  queue.writing = undefined;
}

/** Stores the row of a request that ended after the ledger was closed. */
async function storeLate(queue: LedgerQueue, generation: GenerationRecord): Promise<void> {
  const { onLogged, spool, logger } = queue.options;
  if (await writeToSpool(queue, [generation])) return void (await spool?.rotate());
  const late = queue.options.connect();
  try {
    await writeBatch({ connection: late, onLogged, logger }, [generation]);
  } catch (error) {
    const generationId = generation.id;
    logger.error({ err: error, generationId }, 'a generation is lost: it ended after the ledger was closed');
    throw new AppError('unavailable', { cause: error });
  } finally {
    await late.close();
  }
}
