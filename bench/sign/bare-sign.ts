/**
 * Runs the reference of `bench sign` in a separate process: a bare Koa with one route, which reads the hash from the
 * body and signs with an Ed25519 key for every caller. It prints its origin.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Router from '@koa/router';
import Koa from 'koa';
import { invocationText } from '../../domain/interns/invocation.ts';

const USER = 'alice@example.com';

const { privateKey } = generateKeyPairSync('ed25519');
const router = new Router();
router.post('/api/v1/interns/:internId/daemon/sign', async (context) => {
  const { bodySha256 } = JSON.parse(await text(context.req)) as { bodySha256: string };
  const timestamp = Math.floor(Date.now() / 1_000);
  const internId = String(context['params']['internId']);
  const signed = Buffer.from(invocationText({ internId, timestamp, user: USER, bodySha256 }));
  context.body = {
    'x-svc-invoke-signature': sign(null, signed, privateKey).toString('base64'),
    'x-svc-invoke-timestamp': `${timestamp}`,
    'x-svc-invoke-user': USER,
  };
});
const app = new Koa();
app.use(router.routes());
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
