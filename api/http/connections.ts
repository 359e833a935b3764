import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** A connection over which something came that is no request, and nothing more for so many looks, waits for nothing. */
const SILENT_LOOKS = 40;

interface Connection {
  /** Answers that are not yet sent. */
  answers: number;
  /** What had been read of it when the last of them was sent, or the last request was read. */
  bytesRead: number;
  /** What had been read at the last look, and for how many looks. */
  seenBytes: number;
  silentLooks: number;
}

export type Connections = Map<Socket, Connection>;

/** The connections of a server that are open, with what is known of each. */
export function trackConnections(server: Server): Connections {
  const open: Connections = new Map();
  server.on('connection', (socket) => {
    open.set(socket, { answers: 0, bytesRead: 0, seenBytes: 0, silentLooks: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const count: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (connection === undefined) return;
    const note = (): void => {
      connection.bytesRead = socket.bytesRead;
      connection.silentLooks = 0;
    };
    connection.answers += 1;
    // A body may come after its answer.
    request.once('close', note);
    response.once('close', () => {
      connection.answers -= 1;
      note();
    });
  };
  server.on('request', count).on('checkContinue', count);
  return open;
}

/**
 * Closes what waits for nothing, also what clients open in advance and over which nothing ever came. With `quietLooks`,
 * only what has been quiet for so many looks.
 */
export function closeIdle(connections: Connections, quietLooks = 0): void {
  for (const [socket, connection] of connections) {
    const { answers, bytesRead, seenBytes } = connection;
    connection.silentLooks = socket.bytesRead === seenBytes ? connection.silentLooks + 1 : 0;
    connection.seenBytes = socket.bytesRead;
    const waits = socket.bytesRead !== bytesRead && connection.silentLooks < SILENT_LOOKS;
    if (answers === 0 && !waits && connection.silentLooks >= quietLooks) socket.destroy();
  }
}
