import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { generationsIn } from '../support/broadcast-scene.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { askChat, generationIdOf } from '../support/chat.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

interface Tenant {
  caller: Caller;
  tool: Receiver;
  word: string;
  ids: string[];
}

let gateway: Gateway;
let tenants: Tenant[];

/** A workspace with a key and a destination of its own. */
async function addTenant(
  word: string,
  { organizationId, workspaceId }: Place,
  manager: Caller,
): Promise<Tenant> {
  const { token } = await addKey(gateway, { organizationId, workspaceId });
  const tool = await startReceiver();
  await makeDestination(manager, { workspace_id: workspaceId, config: { url: tool.url } });
  return { caller: createCaller(gateway.origin, token), tool, word, ids: [] };
}

beforeAll(async () => {
  gateway = await startGateway({ worker: ['broadcast'] });
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const foreign = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
  tenants = [
    await addTenant('cobalt', gateway, manager),
    await addTenant('saffron', await addWorkspace(gateway), manager),
    await addTenant('vermilion', foreign, createCaller(gateway.origin, token)),
  ];
});

afterAll(async () => {
  await gateway.close();
  for (const { tool } of tenants) await tool.close();
});

test("each of 75 concurrent chats reaches its own workspace's destination only", async () => {
  const ask = async ({ caller, word, ids }: Tenant, n: number): Promise<void> => {
    const messages = [{ role: 'user', content: `a ${word} question` }];
    const answer = await askChat(gateway, { messages, stream: n % 2 === 0 }, caller);
    ids.push(generationIdOf(answer));
    await answer.text();
  };
  const numbers = Array.from({ length: 25 }, (_, n) => n);
  await Promise.all(numbers.flatMap((n) => tenants.map((tenant) => ask(tenant, n))));
  for (const { tool, word, ids } of tenants) {
    const receivedIds = (): string[] => tool.received.flatMap(({ body }) => generationsIn(body));
    await eventually(`all chats of ${word}`, async () =>
      receivedIds().length >= ids.length ? true : undefined,
    );
  }
  for (const { tool, word, ids } of tenants) {
    expect(tool.received.flatMap(({ body }) => generationsIn(body)).sort()).toEqual(ids.sort());
    const bodies = tool.received.map(({ body }) => body).join();
    expect(tenants.filter((tenant) => bodies.includes(tenant.word)).map((tenant) => tenant.word)).toEqual([
      word,
    ]);
  }
});
