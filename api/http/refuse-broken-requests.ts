/** Answers requests that Node cannot parse, or that arrive too slowly, in the envelope of the API. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import type { Connection, Connections } from './connections.ts';
import { sendRawError } from './send-raw-error.ts';

export function refuseBrokenRequests(server: Server, connections: Connections): void {
  server.on('clientError', (error: ClientError, stream) => {
    const socket = stream as Socket;
    const connection = connections.get(socket);
    const refusal = refusalOf(error);
    if (
      refusal === undefined ||
      !socket.writable ||
      connection === undefined ||
      !mayAnswer(socket, connection)
    )
      socket.destroy(error);
    else sendRawError(socket, refusal);
  });
}

/**
 * Returns whether an error can be the next answer on the connection. It must not mix with an answer to an earlier
 * request, and a caller that sent nothing waits for no answer.
 */
function mayAnswer(socket: Socket, { answers, lastAnswer, bytesRead }: Connection): boolean {
  if (answers === 0) return socket.bytesRead > bytesRead;
  return answers === 1 && lastAnswer?.headersSent === false && !lastAnswer.req.complete;
}

/** An error of Node's HTTP parser. The reason is one of its fixed texts. */
type ClientError = Error & { code?: string; reason?: string };

/** Returns undefined if the connection itself failed. */
function refusalOf({ code = '', reason = 'cannot be parsed' }: ClientError): AppError | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    const issues = [{ path: 'headers', message: 'must have at most 16 KiB together' }];
    return new AppError('headers_too_large', { issues });
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new AppError('payload_too_large');
  if (!code.startsWith('HPE_')) return undefined;
  return invalidRequest({ path: 'headers', message: `must be valid HTTP/1.1: ${reason}` });
}
