/** Starts a child process of the API cluster, and exchanges messages with it. */
import cluster from 'node:cluster';
import type { Snapshot } from '../../platform/metrics-snapshot.ts';
import { type MessageToChild, onMessageOfChild, sendToChild } from './messages.ts';

/** A process that answers requests, as the primary process controls it. */
export interface Child {
  /** A number from 1 on. A replacement has the same number. */
  number: number;
  /** Resolves when the child listens. Rejects with a ChildNotReadyError once the child has ended without listening. */
  ready: Promise<void>;
  exited: Promise<ChildExit>;
  /**
   * Requests the child's metrics. The promise stays pending while the child hangs, and resolves with undefined if the
   * child ends.
   */
  metrics(): Promise<Snapshot | undefined>;
  /** Calls the handler with the address of each wrong key that the child receives. */
  onWrongKey(handle: (address: string) => void): void;
  send(message: MessageToChild): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface ChildExit {
  code: number | null;
  signal: string | null;
}

/** The child ended before it was ready, or was killed because it took too long. */
export class ChildNotReadyError extends Error {
  readonly exit: ChildExit;

  constructor(number: number, exit: ChildExit) {
    super(`API process ${number} ended before it listened`);
    this.name = 'ChildNotReadyError';
    this.exit = exit;
  }
}

/** The environment variable with a child's number. */
export const NUMBER_VARIABLE = 'SLUICE_API_CHILD';

/** The time that a child has to start. It connects to Postgres and reads the catalog, perhaps on a busy machine. */
const READY_WITHIN_MS = 120_000;

export function forkChild(number: number): Child {
  const worker = cluster.fork({ [NUMBER_VARIABLE]: String(number) });
  const exited = new Promise<ChildExit>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    // If no process could be started, for example for lack of memory, there is no exit event.
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve({ code: 1, signal: null });
    });
  });
  const kill = (signal: 'SIGTERM' | 'SIGKILL'): void => void worker.process.kill(signal);
  const timer = setTimeout(() => kill('SIGKILL'), READY_WITHIN_MS);
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  /** The pending request for metrics. All callers share it, so that a hanging child receives only one request. */
  let pendingMetrics: PromiseWithResolvers<Snapshot | undefined> | undefined;
  let onWrongKey: ((address: string) => void) | undefined;
  onMessageOfChild(worker, (message) => {
    if (message.kind === 'ready') return resolve();
    if (message.kind === 'wrong-key') return onWrongKey?.(message.address);
    pendingMetrics?.resolve(message.series);
    pendingMetrics = undefined;
  });
  void exited.then((exit) => {
    reject(new ChildNotReadyError(number, exit));
    pendingMetrics?.resolve(undefined);
  });
  return {
    number,
    ready: ready.finally(() => clearTimeout(timer)),
    exited,
    metrics() {
      if (pendingMetrics === undefined) {
        pendingMetrics = Promise.withResolvers();
        sendToChild(worker, { kind: 'metrics' });
      }
      return pendingMetrics.promise;
    },
    onWrongKey: (handle) => void (onWrongKey = handle),
    send: (message) => sendToChild(worker, message),
    kill,
  };
}
