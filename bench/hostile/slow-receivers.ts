/**
 * Runs the slow servers of a hostile tenant: a webhook receiver that never answers (`/tarpit`), and observability tools
 * that answer 200 after nine seconds. It listens on every loopback address.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const SLOW_MS = 9_000;

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/tarpit') return;
  setTimeout(() => response.writeHead(200).end('{}'), SLOW_MS);
});
server.listen(0, '0.0.0.0', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit());
