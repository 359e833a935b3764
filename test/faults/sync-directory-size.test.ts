import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Caller, createCaller } from '../support/caller.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { sizeOfHistory, watchMembers } from '../support/sync-size.ts';
import { putSource, stagedRows, synced } from '../support/syncs.ts';

const PEOPLE = 20_000;
const GROUPS = 500;
const GROUPS_OF_A_PERSON = 3;

let gateway: Gateway;
let manager: Caller;
let source: ScimSource;

beforeAll(async () => {
  source = await startScimSource();
  source.people = somePeople(PEOPLE);
  source.groups = Array.from({ length: GROUPS }, (_, n) => ({
    id: `g-${n}`,
    displayName: `Group ${n}`,
    members: [],
  }));
  for (const [n, { id }] of source.people.entries())
    for (let k = 0; k < GROUPS_OF_A_PERSON; k += 1) source.groups[(n + k) % GROUPS]!.members.push(id);
  gateway = await startGateway({ worker: ALL_QUEUES });
  manager = createCaller(gateway.origin, gateway.managementKey);
  await putSource(manager, source);
});

afterAll(async () => {
  await gateway.close();
  await source.close();
});

test('a sync of 20,000 people and 500 groups has a short history of small payloads', async () => {
  expect(await synced(manager)).toMatchObject({
    status: 'succeeded',
    synced_groups: GROUPS,
    counts: { people_read: PEOPLE, members_added: PEOPLE },
  });
  const { events, largestPayloadBytes } = await sizeOfHistory(gateway.temporal, gateway.organizationId);
  expect(events).toBeLessThan(200);
  expect(largestPayloadBytes).toBeLessThan(10_000);
  expect(await stagedRows(gateway)).toBe(0);
});

test('a sync without changes writes no row of members', async () => {
  const written = await watchMembers(gateway.database);
  expect(await synced(manager)).toMatchObject({
    status: 'succeeded',
    counts: { people_read: PEOPLE, members_added: 0 },
  });
  expect(await written()).toBe(0);
});
