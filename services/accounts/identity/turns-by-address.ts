/** Lets a few callers work at once. Those that wait take turns by address, so that no address delays the others. */
import { AppError } from '../../../domain/errors.ts';

export interface TurnsByAddress {
  /** Resolves when it is the turn of a caller with this address. Rejects with 503 if that would take too long. */
  take(address: string): Promise<void>;
  /** Ends a turn. */
  end(): void;
  /** Returns how many callers wait. */
  waiting(): number;
}

export interface TurnsOptions {
  /** The most callers whose turn it is. */
  maxConcurrent: number;
  /** The longest wait for a turn. */
  waitMs: number;
}

/** The most callers that wait, in all and of one address. */
const MAX_WAITING = 10_000;
const MAX_WAITING_OF_ADDRESS = 1_000;
const RETRY_AFTER_SECONDS = 5;

type Turn = PromiseWithResolvers<void>;

export function createTurnsByAddress({ maxConcurrent, waitMs }: TurnsOptions): TurnsByAddress {
  /** The turns that callers wait for, by address. The address whose turn is next comes first. */
  const queues = new Map<string, Set<Turn>>();
  let running = 0;
  let waiting = 0;

  const leave = (address: string, queue: Set<Turn>, turn: Turn): boolean => {
    if (!queue.delete(turn)) return false;
    waiting -= 1;
    if (queue.size === 0) queues.delete(address);
    return true;
  };
  const wait = (address: string): Promise<void> => {
    const queue = queues.get(address) ?? new Set<Turn>();
    if (waiting >= MAX_WAITING || queue.size >= MAX_WAITING_OF_ADDRESS) throw tooMany();
    const turn = Promise.withResolvers<void>();
    queues.set(address, queue.add(turn));
    waiting += 1;
    const timer = setTimeout(() => {
      if (leave(address, queue, turn)) turn.reject(tooMany());
    }, waitMs);
    return turn.promise.finally(() => clearTimeout(timer));
  };

  return {
    async take(address) {
      if (running === maxConcurrent) return wait(address);
      running += 1;
      return undefined;
    },
    end() {
      const [first] = queues;
      if (first === undefined) {
        running -= 1;
        return;
      }
      const [address, queue] = first;
      const [turn] = queue;
      // The address goes to the end of the line.
      queues.delete(address);
      queues.set(address, queue);
      leave(address, queue, turn!);
      turn!.resolve();
    },
    waiting: () => waiting,
  };
}

function tooMany(): AppError {
  return new AppError('unavailable', {
    reason: 'too_many_unknown_keys',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
