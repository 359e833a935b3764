/**
 * Runs the reference of `bench models` in a separate process: a bare Koa that answers every caller with the bytes of a
 * file as JSON. It prints its origin. Argument: the file.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';

const bytes = readFileSync(process.argv[2] ?? '');
const app = new Koa();
app.use((context) => {
  context.type = 'application/json';
  context.body = bytes;
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
