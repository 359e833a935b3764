/** Limits how much work of one kind runs at the same time. */
import { AppError } from '../domain/errors.ts';

export interface ConcurrencyLimitOptions {
  /** The most work of one owner at the same time in this process. */
  maxConcurrent: number;
  /** The longest wait for the work to begin. */
  waitMs: number;
}

interface OwnerQueue {
  busy: number;
  /**
   * The waiting callers, in the order of their arrival. Each function gives its caller the turn of a caller that is
   * done.
   */
  waiting: Set<() => void>;
}

/**
 * Limits how much heavy work of each owner runs at the same time in this process. Callers that wait hold no database
 * connection.
 */
export function createConcurrencyLimit({ maxConcurrent, waitMs }: ConcurrencyLimitOptions) {
  const queues = new Map<string, OwnerQueue>();

  const begin = async (owner: string, gone: AbortSignal): Promise<OwnerQueue> => {
    const queue = queues.get(owner) ?? { busy: 0, waiting: new Set() };
    queues.set(owner, queue);
    if (queue.busy === maxConcurrent) await waitForTurn(queue, gone, waitMs);
    else queue.busy += 1;
    return queue;
  };
  const end = (owner: string, queue: OwnerQueue): void => {
    const [next] = queue.waiting;
    if (next !== undefined) return next();
    queue.busy -= 1;
    if (queue.busy === 0) queues.delete(owner);
  };

  return {
    /**
     * Does the work when the limit permits. Rejects with 408 when that took too long, and with
     * `client_cancelled` when the caller disconnects before that.
     */
    async run<Answer>(owner: string, gone: AbortSignal, work: () => Promise<Answer>): Promise<Answer> {
      if (gone.aborted) throw new AppError('client_cancelled');
      const queue = await begin(owner, gone);
      try {
        return await work();
      } finally {
        end(owner, queue);
      }
    },
  };
}

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

async function waitForTurn({ waiting }: OwnerQueue, gone: AbortSignal, waitMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const proceed = (): void => {
    // Delete at once, so that this caller cannot get a second turn and can no longer time out.
    waiting.delete(proceed);
    resolve();
  };
  const giveUp = (error: AppError): void => {
    if (waiting.delete(proceed)) reject(error);
  };
  const leave = (): void => giveUp(new AppError('client_cancelled'));
  const timer = setTimeout(() => giveUp(new AppError('timeout')), waitMs);
  gone.addEventListener('abort', leave);
  waiting.add(proceed);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    gone.removeEventListener('abort', leave);
  }
}
