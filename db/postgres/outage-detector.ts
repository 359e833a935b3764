import { Socket } from 'node:net';
import type { Logger } from '../../platform/logger.ts';
import { isOutage, isSentByRunningPostgres, PostgresDownError } from './outage.ts';
import { createSession } from './session.ts';

/**
 * Detects an outage of Postgres once for the whole process, so that callers fail at once instead of each waiting for a
 * timeout.
 */
export interface OutageDetector {
  /**
   * Returns the result of the query. Rejects with PostgresDownError during an outage: at once if a check has
   * detected it, otherwise within six seconds of the last answer. Waits for a Postgres that is slow or busy.
   */
  run<Answer>(query: () => Promise<Answer>): Promise<Answer>;
  /** Starts a check, unless one is running. */
  check(): void;
  /**
   * Reports that another connection has just reached Postgres. Starts a new check in place of the running one, whose
   * result is out of date. Callers wait for the new check, so no one is refused because of an outage that has ended.
   */
  noteRecovery(): void;
  close(): Promise<void>;
}

export interface OutageDetectorOptions {
  /** The URL that the queries use. */
  url: string;
  logger: Pick<Logger, 'warn' | 'info'>;
}

/** A query without an answer for this time starts a check, and another one after each further period. */
const SLOW_MS = 500;
/** The longest time for one check, from the connection to the answer. */
const CHECK_MS = 2_500;
const STEP_MS = 100;
/** The time between two checks while Postgres is away. */
const RECHECK_MS = 500;

/**
 * Creates the detector of a process. One check at a time serves all callers. It opens a connection of its own, because
 * the other connections may be broken.
 */
// oxlint-disable-next-line max-lines-per-function -- Its steps change one state together.
export function createOutageDetector({ url, logger }: OutageDetectorOptions): OutageDetector {
  let away: PostgresDownError | undefined;
  let checking: Promise<void> | undefined;
  let isRecovering = false;
  let answers = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const check = (): Promise<void> => {
    if (isClosed) return Promise.resolve();
    checking ??= begin();
    return checking;
  };
  const begin = (): Promise<void> => {
    const isLatest = (): boolean => checking === mine;
    const answersBefore = answers;
    const mine: Promise<void> = probe(url)
      .then(found, async (error: unknown) => {
        if (!isLatest()) await checking;
        // Other queries were answered meanwhile, so Postgres runs and is too busy for one more connection.
        else if (error instanceof NoAnswerError && answers > answersBefore) found();
        else lost(error);
      })
      .finally(() => {
        if (!isLatest()) return;
        checking = undefined;
        isRecovering = false;
      });
    return mine;
  };
  const found = (): void => {
    if (away !== undefined) logger.info('Postgres is reached again');
    away = undefined;
  };
  const lost = (error: unknown): void => {
    if (away === undefined) logger.warn({ err: error }, 'Postgres cannot be reached');
    away = new PostgresDownError(error);
    clearTimeout(timer);
    timer = setTimeout(() => void check(), RECHECK_MS).unref();
  };

  return {
    async run(query) {
      if (isRecovering) await checking;
      if (away !== undefined) throw away;
      const { promise: outage, reject: giveUp } = Promise.withResolvers<never>();
      const whileSlow = setInterval(() => {
        void check().then(() => away && giveUp(away));
      }, SLOW_MS);
      try {
        const answer = await Promise.race([query(), outage]);
        answers += 1;
        return answer;
      } catch (error) {
        if (error instanceof PostgresDownError || !isOutage(error)) throw error;
        // The check decides whether only this connection broke or Postgres is away.
        await check();
        throw away ?? error;
      } finally {
        clearInterval(whileSlow);
      }
    },
    check: () => void check(),
    noteRecovery() {
      if (isClosed) return;
      isRecovering = true;
      checking = begin();
    },
    async close() {
      isClosed = true;
      await checking;
      clearTimeout(timer);
    },
  };
}

class NoAnswerError extends Error {
  override readonly message = `no answer within ${CHECK_MS} ms`;
}

/**
 * Rejects if Postgres does not answer. An error from a running Postgres, such as too many connections, is an answer.
 */
async function probe(url: string): Promise<void> {
  const socket = new Socket();
  const session = createSession({ url, applicationName: 'sluice-probe', socket });
  const timeout = endAfterSteps(() => socket.destroy(new NoAnswerError()));
  try {
    await session.connect();
    await session.query('select');
  } catch (error) {
    if (!isSentByRunningPostgres(error)) throw error;
  } finally {
    clearInterval(timeout);
    void session.end().catch(() => {});
  }
}

/**
 * Counts steps instead of reading the clock. A pause of this process is one step, however long, and data that arrived
 * during the pause is read before the next step.
 */
function endAfterSteps(giveUp: () => void): NodeJS.Timeout {
  let stepsLeft = CHECK_MS / STEP_MS;
  return setInterval(() => {
    stepsLeft -= 1;
    if (stepsLeft === 0) giveUp();
  }, STEP_MS);
}
