import cluster, { type Worker } from 'node:cluster';
import type { Snapshot } from '../../platform/metrics-snapshot.ts';

/** A message from the primary process to a child. */
export type MessageToChild =
  /** Stop, as on SIGTERM. */
  | { kind: 'stop' }
  /** Stop, while another child serves already: clients have time to move to it. */
  | { kind: 'retire' }
  /** Show your metrics. */
  | { kind: 'metrics' };

/** A message from a child to the primary process. */
export type MessageToPrimary =
  /** The child listens, and stops when it is told to. */
  { kind: 'ready' } | { kind: 'metrics'; series: Snapshot };

/** Does nothing where the child is gone: its exit is noticed by itself. */
export function tellChild(worker: Worker, message: MessageToChild): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

export function onMessageOfChild(worker: Worker, hear: (message: MessageToPrimary) => void): void {
  worker.on('message', hear);
}

/** Does nothing where the primary process is gone: Node then ends the child. */
export function tellPrimary(message: MessageToPrimary): void {
  cluster.worker?.send(message, () => {});
}

export function onMessageOfPrimary(hear: (message: MessageToChild) => void): void {
  process.on('message', hear);
}
