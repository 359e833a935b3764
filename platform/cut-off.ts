interface Destroyable {
  destroy(): unknown;
}

const cut = new WeakSet<object>();

/** The reason of a signal that was aborted because this process closed the connection, not its client. */
export class CutOffError extends Error {
  constructor() {
    super('the gateway closed the connection');
    this.name = 'CutOffError';
  }
}

/** Destroys a connection or an answer, and remembers that it was not the client who left. */
export function cutOff(stream: Destroyable): void {
  cut.add(stream);
  stream.destroy();
}

export function wasCutOff(stream: object): boolean {
  return cut.has(stream);
}
