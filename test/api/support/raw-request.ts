import { connect, type Socket } from 'node:net';

export interface RawConnection {
  socket: Socket;
  connected: Promise<void>;
  /** Everything received so far. */
  received(): string;
  /** Resolves with what was received, once it contains the text. */
  until(text: string): Promise<string>;
  /** Resolves with what was received, once the server has closed. */
  closed: Promise<string>;
}

/**
 * A connection on which a test writes the very bytes it wants. Other loopback addresses stand for callers in other
 * places.
 */
export function openRaw(port: number, localAddress = '127.0.0.1'): RawConnection {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  const waiting = new Set<() => void>();
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
    for (const look of waiting) look();
  });
  // A reset is a way to close; what was received before it is what counts.
  socket.on('error', () => {});
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  socket.once('close', () => resolve(received));
  const { promise: connected, resolve: onConnect } = Promise.withResolvers<void>();
  socket.once('connect', onConnect);
  return {
    socket,
    connected,
    received: () => received,
    closed,
    until(text) {
      const found = Promise.withResolvers<string>();
      const look = (): void => {
        if (!received.includes(text)) return;
        waiting.delete(look);
        found.resolve(received);
      };
      waiting.add(look);
      look();
      return found.promise;
    },
  };
}

/** The head of a POST /videos request, with these further header lines. */
export function postHead(...lines: string[]): string {
  const head = [
    'POST /api/v1/videos HTTP/1.1',
    'Host: gateway',
    'Authorization: Bearer regular-key',
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n`;
}
