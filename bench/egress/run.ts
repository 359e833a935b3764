/** Compares the requests of interns through the gateway with a bare proxy. */
import { addKey } from '../../test/support/accounts.ts';
import { addIntern, addSecret } from '../../test/support/vaults.ts';
import { rawRequest, startMeasuredGateway } from '../gateway-process.ts';
import { createComparison } from '../live/comparison.ts';
import { startBareProxy } from '../live/processes.ts';

/** The seconds of one round, and the pairs of rounds for each row. */
const [seconds = 4, rounds = 5] = process.argv.slice(2).map(Number);

const gateway = await startMeasuredGateway();
const bare = await startBareProxy(gateway.upstream);
await gateway.database.query(`update organizations set entitlements = '{interns}'`);
const intern = await addIntern(gateway);
const { token } = await addKey(gateway, { kind: 'intern', internId: intern.id });
await addSecret(gateway, intern.vaultId, 'key', { value: gateway.upstream.apiKey, hosts: ['localhost'] });
// Every answer is searched for each of these secrets.
for (let n = 1; n < 10; n += 1) {
  const value = `sk-${n}-${'x'.repeat(48)}`;
  await addSecret(gateway, intern.vaultId, `other${n}`, { value, hosts: ['localhost'] });
}

const { port, pathname } = new URL(gateway.upstream.baseUrl);
const path = '/chat/completions';
const body = (stream: boolean) => ({
  model: 'chat-canned',
  messages: [{ role: 'user', content: 'Say what you always say.' }],
  ...(stream ? { stream } : {}),
});

/** The upstream's key is the value of the secret; the intern's own key is a separate header. */
function egressRequest(stream: boolean): Buffer {
  const target = `/api/v1/interns/${intern.id}/egress/http/localhost:${port}${pathname}${path}`;
  const [line = '', ...rest] = rawRequest(target, '{{secret:key}}', body(stream)).toString().split('\r\n');
  return Buffer.from([line, `sluice-authorization: Bearer ${token}`, ...rest].join('\r\n'));
}

const comparison = createComparison({ seconds, rounds, referenceName: 'bare Koa + undici' });
for (const stream of [false, true]) {
  await comparison.throughput(
    {
      name: `egress${stream ? ' streamed' : ''}, 32 connections`,
      connections: 32,
      product: { origin: gateway.origin, pid: gateway.pid, request: egressRequest(stream) },
      reference: { ...bare, request: rawRequest(path, '', body(stream)) },
    },
    0.4,
  );
}

await bare.close();
await gateway.close();
process.stdout.write(`\n${comparison.render()}\n`);
