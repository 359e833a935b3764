/** Distinguishes connections that this process closed from those that the client closed. */

interface Destroyable {
  destroy(): unknown;
}

const cut = new WeakSet<object>();

/** The reason of a signal that is aborted when this process, not the client, closed the connection. */
export class CutOffError extends Error {
  constructor() {
    super('the gateway closed the connection');
    this.name = 'CutOffError';
  }
}

/** Destroys a connection or an answer, and records that the client did not close it. */
export function cutOff(stream: Destroyable): void {
  cut.add(stream);
  stream.destroy();
}

export function wasCutOff(stream: object): boolean {
  return cut.has(stream);
}
