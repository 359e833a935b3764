import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApiProcess } from '../support/api-process.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { getDestination, makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { attributesOf, chat, expectForwarded, forwardedTo } from '../support/forwarding.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let gateway: Gateway;
let manager: Caller;
const receivers: Receiver[] = [];

beforeAll(async () => {
  gateway = await startGateway({ worker: ALL_QUEUES });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await gateway.close();
  for (const receiver of receivers) await receiver.close();
});

async function addDestination(rule?: object): Promise<{ id: string; receiver: Receiver }> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const filters = rule && { filter_rules: { groups: [{ rules: [{ field: 'input', ...rule }] }] } };
  const { id } = await makeDestination(manager, { config: { url: receiver.url }, ...filters });
  return { id, receiver };
}

/** Asks an API in a process of its own, which is killed before it can store prompt and answer. */
async function askBeforeKill(): Promise<string> {
  const client = await gateway.database.connect();
  const api = await startApiProcess(gateway);
  try {
    await client.query('begin; lock table broadcast_bodies in share mode');
    return await chat({ origin: api.origin, apiKey: gateway.apiKey });
  } finally {
    await api.kill();
    await client.query('rollback');
    client.release();
  }
}

test('a filter sends nothing whose prompt was lost with a killed API', async () => {
  const everything = await addDestination();
  const containing = await addDestination({ operator: 'contains', value: 'Hello' });
  const notContaining = await addDestination({ operator: 'not_contains', value: 'forbidden' });
  const lost = await askBeforeKill();
  await expectForwarded([lost], everything.receiver);
  expect(attributesOf(everything.receiver, lost)).toMatchObject({ 'sluice.content_dropped': true });
  for (const { id } of [containing, notContaining]) {
    await eventually('an undecided generation', async () =>
      (await getDestination(manager, id)).delivery['undecided'] === 1 ? true : undefined,
    );
  }
  const next = await chat(gateway);
  await expectForwarded([next], containing.receiver, notContaining.receiver);
  for (const { receiver } of [containing, notContaining]) expect([...forwardedTo(receiver)]).toEqual([next]);
});
