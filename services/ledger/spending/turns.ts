/** Lets requests of a payer wait for their turn, in the order of their arrival. */
import { AppError } from '../../../domain/errors.ts';
import type { Payer, Turn } from './payer.ts';
import type { WaitEnd, WaitMetrics } from './wait-metrics.ts';

/** The longest time that a request waits for its turn. */
export const LIMIT_WAIT_MS = 10_000;

/** The outcome of trying to reserve: the payer that is busy, or the result. */
export type Tried<T> = { busy: Payer } | { taken: T };

export interface WaitOptions<T> {
  /** Tries to reserve for a request that is the first in the queue of `head`. */
  attempt(head: Payer): Tried<T>;
  /** Aborts when the caller disconnects. */
  gone: AbortSignal | undefined;
  waits: WaitMetrics | undefined;
  /** The longest time that the request waits. */
  waitMs: number;
}

/**
 * Waits in the queue of a busy payer until `attempt` finds no payer busy. Throws `rate_limited` with the reason
 * `limit_busy` after the longest wait, and `client_cancelled` when the caller disconnects.
 */
export function waitForTurn<T>(busy: Payer, { attempt, gone, waits, waitMs }: WaitOptions<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const turn: Turn = { payer: busy, take };
    const timer = setTimeout(() => {
      leave(turn);
      end('timed_out', () =>
        reject(new AppError('rate_limited', { reason: 'limit_busy', retryAfterSeconds: 1 })),
      );
    }, waitMs).unref();
    const left = (): void => {
      leave(turn);
      end('gone', () => reject(new AppError('client_cancelled')));
    };
    gone?.addEventListener('abort', left, { once: true });
    busy.waiting.push(turn);
    if (gone?.aborted) left();

    function take(): Payer | undefined {
      const tried = attempt(turn.payer);
      if ('busy' in tried) return tried.busy;
      end('judged', () => resolve(tried.taken));
      return undefined;
    }

    function end(how: WaitEnd, settle: () => void): void {
      clearTimeout(timer);
      gone?.removeEventListener('abort', left);
      waits?.(how);
      settle();
    }
  });
}

/** Lets the first requests in a payer's queue try again, until one finds the payer busy. */
export function wake(payer: Payer): void {
  for (let turn = payer.waiting[0]; turn !== undefined; turn = payer.waiting[0]) {
    const busy = turn.take();
    if (busy === payer) return;
    payer.waiting.shift();
    if (busy === undefined) continue;
    turn.payer = busy;
    busy.waiting.push(turn);
  }
}

/** Removes a request from its queue. The next one may go, because it may need less money. */
function leave(turn: Turn): void {
  const { payer } = turn;
  const index = payer.waiting.indexOf(turn);
  if (index === -1) return;
  payer.waiting.splice(index, 1);
  if (index === 0) wake(payer);
}
