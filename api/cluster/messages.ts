/** Declares the messages between the primary process and its children, and sends and receives them. */
import cluster, { type Worker } from 'node:cluster';
import type { Snapshot } from '../../platform/metrics-snapshot.ts';

/** A message from the primary process to a child. */
export type MessageToChild =
  /** Stops the child, like SIGTERM. */
  | { kind: 'stop' }
  /** Stops the child while another one serves, so that clients have time to reconnect. */
  | { kind: 'retire' }
  /** Requests the child's metrics. */
  | { kind: 'metrics' }
  /** An address has sent too many wrong keys to all children together. */
  | { kind: 'refuse-keys'; address: string; forMs: number };

/** A message from a child to the primary process. */
export type MessageToPrimary =
  /** The child listens, and can receive messages. */
  | { kind: 'ready' }
  | { kind: 'metrics'; series: Snapshot }
  /** An address has sent a wrong key. */
  | { kind: 'wrong-key'; address: string };

/** Sends a message to a child. Does nothing if the child has ended, which its exit event reports. */
export function sendToChild(worker: Worker, message: MessageToChild): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

export function onMessageOfChild(worker: Worker, handle: (message: MessageToPrimary) => void): void {
  worker.on('message', handle);
}

/** Sends a message to the primary process. Does nothing if it has ended: Node then ends the child. */
export function sendToPrimary(message: MessageToPrimary): void {
  cluster.worker?.send(message, () => {});
}

export function onMessageOfPrimary(handle: (message: MessageToChild) => void): void {
  process.on('message', handle);
}
