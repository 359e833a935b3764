import cluster from 'node:cluster';
import type { Snapshot } from '../../platform/metrics-snapshot.ts';
import { type MessageToChild, onMessageOfChild, tellChild } from './messages.ts';

/** One of the processes that answer requests, as the primary process sees it. */
export interface Child {
  /** From 1 on. The child that takes its place has the same number. */
  n: number;
  /** Resolves when the child listens. Rejects with a ChildNotReadyError when it does not; the child is gone then. */
  ready: Promise<void>;
  exited: Promise<ChildExit>;
  /** Asks for the metrics of the child. Stays pending while the child hangs; undefined when it ends. */
  metrics(): Promise<Snapshot | undefined>;
  tell(message: MessageToChild): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface ChildExit {
  code: number | null;
  signal: string | null;
}

/** The child ended before it was ready, or was killed because it took too long. */
export class ChildNotReadyError extends Error {
  readonly exit: ChildExit;

  constructor(n: number, exit: ChildExit) {
    super(`API process ${n} ended before it listened`);
    this.name = 'ChildNotReadyError';
    this.exit = exit;
  }
}

/** The variable in which a child finds its number. */
export const NUMBER_VARIABLE = 'SLUICE_API_CHILD';

/** A child connects to Postgres and reads the catalog, on a machine that may be busy with other starts. */
const READY_WITHIN_MS = 120_000;

export function forkChild(n: number): Child {
  const worker = cluster.fork({ [NUMBER_VARIABLE]: String(n) });
  const exited = new Promise<ChildExit>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    // Without a process, for instance because the machine has no room for one more, there is no exit to wait for.
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve({ code: 1, signal: null });
    });
  });
  const kill = (signal: 'SIGTERM' | 'SIGKILL'): void => void worker.process.kill(signal);
  const timer = setTimeout(() => kill('SIGKILL'), READY_WITHIN_MS);
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  /** Shared by all who ask before the child has answered: one that hangs is not asked again and again. */
  let asked: PromiseWithResolvers<Snapshot | undefined> | undefined;
  onMessageOfChild(worker, (message) => {
    if (message.kind === 'ready') return resolve();
    asked?.resolve(message.series);
    asked = undefined;
  });
  void exited.then((exit) => {
    reject(new ChildNotReadyError(n, exit));
    asked?.resolve(undefined);
  });
  return {
    n,
    ready: ready.finally(() => clearTimeout(timer)),
    exited,
    metrics() {
      if (asked === undefined) {
        asked = Promise.withResolvers();
        tellChild(worker, { kind: 'metrics' });
      }
      return asked.promise;
    },
    tell: (message) => tellChild(worker, message),
    kill,
  };
}
