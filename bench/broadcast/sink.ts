/** Runs a tool that accepts everything: it reads bodies, counts them and answers 200. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let bytes = 0;
let requests = 0;

const server = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

/** Each message from the parent requests the counts since the previous message. */
process.on('message', () => {
  process.send?.({ bytes, requests });
  bytes = 0;
  requests = 0;
});
process.on('disconnect', () => process.exit());
