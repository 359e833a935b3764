/**
 * Measures the memory of an API process that calls many private endpoints with different addresses. Arguments:
 * organizations, endpoints of each, and rounds of calls.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addKey, addOrganization } from '../../test/support/accounts.ts';
import { addCredential, addPrivateEndpoint } from '../../test/support/own-resources.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { renderTable } from '../table.ts';

const [organizations = 200, each = 5, rounds = 3] = process.argv.slice(2).map(Number);
const BAR_MIB = 400;
const CONCURRENT_CALLS = 32;
const MODEL = 'local/chat-canned';

const answer = JSON.stringify({
  id: 'chatcmpl-own',
  object: 'chat.completion',
  model: 'own',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
});
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
});
await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
const { port } = server.address() as AddressInfo;

const gateway = await startMeasuredGateway();
const mebibytes = (): number => {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1_024);
};
const atRest = mebibytes();

/** Every address of 127.0.0.0/8 belongs to this machine. */
const originOf = (n: number): string => `http://127.1.${Math.floor(n / 250)}.${(n % 250) + 1}:${port}`;

const calls: { token: string; endpointId: string }[] = [];
for (let n = 0; n < organizations; n += 1) {
  const customer = { ...gateway, ...(await addOrganization(gateway)) };
  const { token } = await addKey(gateway, customer);
  for (let i = 0; i < each; i += 1) {
    const origin = originOf(n * each + i);
    await addCredential(customer, `key-of-${n}-${i}`, { base_url: `${origin}/v1`, origin });
    const columns = { model_id: MODEL, upstream_model_id: 'own' };
    calls.push({ token, endpointId: await addPrivateEndpoint(customer, `${origin}/v1`, columns) });
  }
}

async function chat({ token, endpointId }: { token: string; endpointId: string }): Promise<void> {
  const response = await fetch(`${gateway.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      messages: [{ role: 'user', content: 'Hello' }],
      provider: { only: [endpointId] },
    }),
  });
  const text = await response.text();
  if (response.status !== 200 || !text.includes('"is_byok":true')) throw new Error(text);
}

let highest = atRest;
for (let round = 0; round < rounds; round += 1) {
  for (let n = 0; n < calls.length; n += CONCURRENT_CALLS) {
    await Promise.all(calls.slice(n, n + CONCURRENT_CALLS).map(chat));
    highest = Math.max(highest, mebibytes());
  }
  process.stdout.write(`round ${round + 1}: ${mebibytes()} MiB\n`);
}

await gateway.close();
server.close();
server.closeAllConnections();
process.stdout.write(
  `\n${renderTable(
    [`${calls.length} private endpoints of ${organizations} organizations`, 'MiB', 'bar'],
    [
      ['API at rest', `${atRest}`, ''],
      ['API, highest', `${highest}`, `below ${BAR_MIB}`],
    ],
  )}\n`,
);
