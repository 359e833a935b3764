/** Tracks the open connections of the HTTP server, and closes idle ones when it stops. */
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionGate } from './connection-gate.ts';

/** The number of checks without new bytes after which an incomplete request no longer keeps a connection open. */
const SILENT_CHECKS = 40;

/** The state of an open connection. */
export interface Connection {
  /** The number of answers that are not fully sent. */
  answers: number;
  /** The answer to the last request, until it is fully sent. */
  lastAnswer?: ServerResponse | undefined;
  /** The bytes read when the last answer was sent, or the last request was read. */
  bytesRead: number;
  /** The bytes read at the last check, and the number of checks without a change. */
  seenBytes: number;
  silentChecks: number;
}

export type Connections = Map<Socket, Connection>;

/** Tracks the open connections of a server with their state, and reports it to the gate. */
export function trackConnections(server: Server, gate?: ConnectionGate): Connections {
  const open: Connections = new Map();
  server.on('connection', (socket) => {
    open.set(socket, { answers: 0, bytesRead: 0, seenBytes: 0, silentChecks: 0 });
    socket.once('close', () => {
      open.delete(socket);
      gate?.closed(socket);
    });
    gate?.opened(socket);
  });
  const count: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (connection === undefined) return;
    const note = (): void => {
      connection.bytesRead = socket.bytesRead;
      connection.silentChecks = 0;
    };
    connection.answers += 1;
    connection.lastAnswer = response;
    // A body may arrive after its answer.
    request.once('close', note);
    response.once('close', () => {
      connection.answers -= 1;
      if (connection.answers === 0) {
        connection.lastAnswer = undefined;
        if (!socket.destroyed) gate?.idle(socket);
      }
      note();
    });
  };
  server.on('request', count).on('checkContinue', count);
  return open;
}

/**
 * Closes idle connections, including those opened in advance. With `quietChecks`, closes only connections that were
 * quiet for as many checks.
 */
export function closeIdle(connections: Connections, quietChecks = 0): void {
  for (const [socket, connection] of connections) {
    const { answers, bytesRead, seenBytes } = connection;
    connection.silentChecks = socket.bytesRead === seenBytes ? connection.silentChecks + 1 : 0;
    connection.seenBytes = socket.bytesRead;
    const waits = socket.bytesRead !== bytesRead && connection.silentChecks < SILENT_CHECKS;
    if (answers === 0 && !waits && connection.silentChecks >= quietChecks) socket.destroy();
  }
}
