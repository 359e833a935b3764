/** Opens many streams of chat at once and keeps them open, for the benchmark of memory. */
import net from 'node:net';

export interface OpenStreams {
  /** Returns the number of open streams. */
  open(): number;
  /** Returns the number of streams that ended or broke and were reopened. */
  reopened(): number;
  close(): void;
}

/**
 * Keeps this many streams open, taking the requests in turn. A stream that ends is reopened. Answers are not parsed.
 */
export function holdStreams(origin: string, requests: Buffer[], count: number): OpenStreams {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<net.Socket>();
  let openCount = 0;
  let reopened = 0;
  let isClosed = false;
  const hold = (request: Buffer): void => {
    if (isClosed) return;
    const socket = net.connect(Number(port), hostname);
    let isOpen = false;
    sockets.add(socket);
    socket.on('connect', () => socket.write(request));
    socket.on('data', (bytes) => {
      if (!isOpen) {
        isOpen = true;
        openCount += 1;
      }
      if (bytes.subarray(-5).toString('latin1') === '0\r\n\r\n') socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (isOpen) openCount -= 1;
      reopened += 1;
      setTimeout(hold, 100, request);
    });
  };
  for (let n = 0; n < count; n += 1) setTimeout(hold, n, requests[n % requests.length]!);
  return {
    open: () => openCount,
    reopened: () => reopened,
    close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
