import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ledgerRow } from '../support/chat.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { getDestination, makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { chats, expectForwarded, forwardedTo } from '../support/forwarding.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let manager: Caller;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['broadcast'] });
  manager = createCaller(gateway.origin, gateway.managementKey);
  receiver = await startReceiver();
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const turn = (isOn: boolean): Promise<unknown> =>
  updateWorkspace(manager, gateway.workspaceId, { is_observability_broadcast_enabled: isOn });

/** Asks for chats and waits until they are recorded. */
async function record(count: number): Promise<string[]> {
  const ids = await chats(gateway, count);
  for (const id of ids) await ledgerRow(gateway, id);
  return ids;
}

test('generations made while broadcast is switched off are never forwarded, and all others are', async () => {
  const { id } = await makeDestination(manager, { config: { url: receiver.url } });
  const before = await record(3);
  await turn(false);
  const between = await record(3);
  await turn(true);
  const after = await record(3);
  await expectForwarded([...before, ...after], receiver);
  const { delivered } = await eventually('a delivery that is up to date', async () => {
    const { delivery } = await getDestination(manager, id);
    return delivery['backlog'] === 0 ? delivery : undefined;
  });
  expect(between.filter((generation) => forwardedTo(receiver).has(generation))).toEqual([]);
  expect(delivered).toBe(6);
});
