import { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from '../platform/logger.ts';
import { isOutage, PostgresAwayError } from './outage.ts';

/** Knows for the whole process whether Postgres can be reached, so that not every caller has to find out. */
export interface Presence {
  /**
   * What the question brings. Rejects with PostgresAwayError when Postgres cannot be reached: at once when that is
   * known, otherwise within six seconds of its last sign of life. A Postgres that is only slow, or busy with others,
   * is waited for.
   */
  ask<Answer>(question: () => Promise<Answer>): Promise<Answer>;
  /** There is reason to look, before anybody has to wait. */
  suspect(): void;
  /**
   * Something else was just answered by Postgres. A look that began before that says nothing any more; the one that
   * begins now is waited for by all who ask, so that nobody is refused for what is over.
   */
  hope(): void;
  close(): Promise<void>;
}

export interface PresenceOptions {
  /** By the way that the questions take. */
  url: string;
  logger: Pick<Logger, 'warn' | 'info'>;
}

/** A question without an answer for so long is reason to look, and again after as long. */
const SLOW_MS = 500;
/** How long a connection and a statement may take to be answered. */
const LOOK_MS = 2_500;
const STEP_MS = 100;
/** While Postgres is away: from one look to the next. */
const LOOK_AGAIN_MS = 500;

/** One look at a time serves all who ask. It opens a connection of its own: the others may be what is broken. */
export function createPresence({ url, logger }: PresenceOptions): Presence {
  let away: PostgresAwayError | undefined;
  let looking: Promise<void> | undefined;
  let isHopeful = false;
  let answers = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const look = (): Promise<void> => {
    if (isClosed) return Promise.resolve();
    looking ??= begin();
    return looking;
  };
  const begin = (): Promise<void> => {
    const isLatest = (): boolean => looking === mine;
    const answersBefore = answers;
    const mine: Promise<void> = reach(url)
      .then(found, async (error: unknown) => {
        if (!isLatest()) await looking;
        // When others were answered meanwhile: a Postgres that is too busy to greet one more is there.
        else if (error instanceof NoAnswerError && answers > answersBefore) found();
        else lost(error);
      })
      .finally(() => {
        if (!isLatest()) return;
        looking = undefined;
        isHopeful = false;
      });
    return mine;
  };
  const found = (): void => {
    if (away !== undefined) logger.info('Postgres is reached again');
    away = undefined;
  };
  const lost = (error: unknown): void => {
    if (away === undefined) logger.warn({ err: error }, 'Postgres cannot be reached');
    away = new PostgresAwayError(error);
    clearTimeout(timer);
    timer = setTimeout(() => void look(), LOOK_AGAIN_MS).unref();
  };

  return {
    async ask(question) {
      if (isHopeful) await looking;
      if (away !== undefined) throw away;
      const { promise: given, reject: giveUp } = Promise.withResolvers<never>();
      const impatience = setInterval(() => {
        void look().then(() => away && giveUp(away));
      }, SLOW_MS);
      try {
        const answer = await Promise.race([question(), given]);
        answers += 1;
        return answer;
      } catch (error) {
        if (error instanceof PostgresAwayError || !isOutage(error)) throw error;
        // One connection broke, or Postgres is gone: the look tells.
        await look();
        throw away ?? error;
      } finally {
        clearInterval(impatience);
      }
    },
    suspect: () => void look(),
    hope() {
      if (isClosed) return;
      isHopeful = true;
      looking = begin();
    },
    async close() {
      isClosed = true;
      await looking;
      clearTimeout(timer);
    },
  };
}

class NoAnswerError extends Error {
  override readonly message = `no answer within ${LOOK_MS} ms`;
}

/** Rejects when there is no answer. A refusal by a Postgres that runs, such as too many connections, is an answer. */
async function reach(url: string): Promise<void> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: 'sluice-presence',
    stream: () => socket,
  });
  // Without a listener a connection that breaks between the two would end the process.
  client.on('error', () => {});
  const patience = endPatience(() => socket.destroy(new NoAnswerError()));
  try {
    await client.connect();
    await client.query('select');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isEnding(error)) throw error;
  } finally {
    clearInterval(patience);
    void client.end().catch(() => {});
  }
}

/**
 * Counted in steps rather than by the clock: however long this process itself was held up, that is one step, and
 * what arrived meanwhile is read before the next.
 */
function endPatience(giveUp: () => void): NodeJS.Timeout {
  let stepsLeft = LOOK_MS / STEP_MS;
  return setInterval(() => {
    stepsLeft -= 1;
    if (stepsLeft === 0) giveUp();
  }, STEP_MS);
}

/** Shutting down, crashed, or starting up. */
function isEnding({ code = '' }: pg.DatabaseError): boolean {
  return /^(57P0[123]|08...)$/.test(code);
}
