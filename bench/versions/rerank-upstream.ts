/**
 * Ranks every list of ten in its order, with precomputed bytes on Cohere's wire, so that the upstream is not measured.
 * Prints its origin.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const RANKED = Buffer.from(
  JSON.stringify({
    id: 'canned',
    results: Array.from({ length: 10 }, (_, index) => ({ index, relevance_score: 0.9 - index / 20 })),
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  }),
);

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': RANKED.length });
    response.end(RANKED);
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
