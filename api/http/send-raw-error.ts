/** Answers an error on a connection without a request, and closes it. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AppError } from '../../domain/errors.ts';
import { presentError } from './errors/present-error.ts';

export function sendRawError(socket: Socket, error: AppError): void {
  const { status, headers, body } = presentError(error);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
  // Sends what was written, then closes without waiting for the other side.
  socket.destroySoon();
}
