/** Replaces a child process of the API cluster when it ends or retires. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import type { Child, ChildExit } from './child.ts';

/** Keeps one numbered child running. A child that ends is replaced until the slot is stopped. */
export interface Slot {
  /** Resolves when a child is ready. Rejects with a ChildNotReadyError. */
  start(): Promise<void>;
  /**
   * Starts a successor, and retires the child once the successor is ready. If the successor does not start, rejects
   * with a ChildNotReadyError, and the child continues.
   */
  renew(): Promise<void>;
  /** Stops all children. Resolves with their exits. */
  stop(): Promise<ChildExit[]>;
}

export interface SlotOptions {
  n: number;
  fork(n: number): Child;
  /** The time that a child has to stop. A child that hangs is killed two seconds later. */
  stopMs: number;
  logger: Pick<Logger, 'error'>;
}

const KILL_AFTER_MS = 2_000;

/** The first and the longest wait before an ended child is replaced. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** A child that has served for this long resets the delay, since its end has nothing to do with its start. */
const LONG_ENOUGH_MS = 60_000;

export function createSlot({ n, fork, stopMs, logger }: SlotOptions): Slot {
  /** Children that start, serve or retire. */
  const living = new Set<Child>();
  const starters = new Set<Child>();
  const nextDelayMs = createReplacementDelay();
  const stopping = new AbortController();
  const { signal } = stopping;
  let serving: Child | undefined;
  let starting: Promise<void> | undefined;

  /** Starts one child at a time; concurrent calls get the same promise. */
  const start = (): Promise<void> => {
    starting ??= begin().finally(() => {
      starting = undefined;
    });
    return starting;
  };
  const begin = async (): Promise<void> => {
    const child = fork(n);
    living.add(child);
    starters.add(child);
    void child.exited.then(() => living.delete(child));
    await child.ready.finally(() => starters.delete(child));
    serving = child;
    const readyAtMs = Date.now();
    void child.exited.then((exit) => {
      if (serving !== child || signal.aborted) return;
      serving = undefined;
      logger.error({ child: n, ...exit }, 'an API process ended and is replaced');
      void replace(Date.now() - readyAtMs);
    });
  };
  const replace = async (servedMs: number): Promise<void> => {
    let delayMs = nextDelayMs(servedMs);
    while (!signal.aborted) {
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      // A restart may have started a successor meanwhile.
      if (signal.aborted || serving !== undefined) return;
      try {
        return await start();
      } catch (error) {
        delayMs = nextDelayMs(0);
        if (!signal.aborted) logger.error({ child: n, err: error, delayMs }, 'an API process does not start');
      }
    }
  };

  return {
    start,
    async renew() {
      const previous = serving;
      await start();
      if (previous !== undefined) await endChild(previous, 'retire', stopMs);
    },
    stop() {
      stopping.abort();
      // A child that is not ready has no requests, and receives no messages yet.
      for (const child of starters) child.kill('SIGTERM');
      return Promise.all([...living].map((child) => endChild(child, 'stop', stopMs)));
    },
  };
}

/** Asks a child to end, and kills it when it takes too long. */
async function endChild(child: Child, kind: 'stop' | 'retire', stopMs: number): Promise<ChildExit> {
  child.send({ kind });
  const kill = setTimeout(() => child.kill('SIGKILL'), stopMs + KILL_AFTER_MS);
  return child.exited.finally(() => clearTimeout(kill));
}

/**
 * Creates a function that returns the wait before a slot starts its next child. The wait doubles each time, until a
 * child serves for a minute.
 */
export function createReplacementDelay(): (servedMs: number) => number {
  let endings = 0;
  return (servedMs) => {
    if (servedMs >= LONG_ENOUGH_MS) endings = 0;
    endings += 1;
    return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (endings - 1));
  };
}
