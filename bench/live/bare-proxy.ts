/**
 * Runs the reference of the live benchmarks in a separate process: a bare Koa that passes each request to the same path
 * of the upstream through undici, and the answer back. It has no keys, validation, ledger or log. It prints its origin.
 * Arguments: the upstream's base URL and key.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { Pool } from 'undici';

const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const { origin, pathname } = new URL(baseUrl);
const pool = new Pool(origin, { connections: 2_048 });

const app = new Koa();
app.use(async (context) => {
  const parts: Buffer[] = [];
  for await (const part of context.req) parts.push(part as Buffer);
  const answer = await pool.request({
    method: 'POST',
    path: `${pathname}${context.path}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: Buffer.concat(parts),
  });
  context.status = answer.statusCode;
  const type = String(answer.headers['content-type']);
  context.set('content-type', type);
  if (type.startsWith('application/json')) context.body = Buffer.from(await answer.body.arrayBuffer());
  else {
    answer.body.on('error', () => {});
    context.body = answer.body;
  }
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
