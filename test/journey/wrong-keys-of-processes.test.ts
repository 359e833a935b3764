import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import { type ApiCluster, startApiCluster } from '../support/api-cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { callFrom } from '../support/loopback-callers.ts';

let gateway: Gateway;
let api: ApiCluster;

beforeAll(async () => {
  gateway = await startGateway();
  api = await startApiCluster(gateway, 2);
});
afterAll(async () => {
  await api.kill();
  await gateway.close();
});

/** Sends a wrong key over a new connection, which the processes get in turn. */
async function sendWrongKey(address: string): Promise<number> {
  const headers = { authorization: `Bearer ${newToken().token}` };
  return (await callFrom(address, `${api.origin}/api/v1/key`, { headers })).status;
}

test('fifty wrong keys of an address count for all API processes together', async () => {
  for (let n = 0; n < 50; n += 1) expect(await sendWrongKey('127.0.1.1')).toBe(401);
  // Each process learns from the others. Alone, one would have counted fifty after a hundred.
  let looked = 0;
  await eventually('429 of both processes', async () => {
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push(await sendWrongKey('127.0.1.1'));
    looked += statuses.filter((status) => status === 401).length;
    expect(looked).toBeLessThan(20);
    return statuses.every((status) => status === 429) ? true : undefined;
  });
  expect(await sendWrongKey('127.0.1.2')).toBe(401);
});
