import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import { ConflictResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors';
import { addGroup, addPerson } from '../support/directory.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient, thrownBy } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = publishedClient(gateway, gateway.managementKey);
});

afterAll(() => gateway.close());

const create = (scimGroupId: string, role: 'admin' | 'member') =>
  client.scim.create({
    createScimGroupMappingRequest: { scimGroupId, workspaceId: gateway.workspaceId, role },
  });

test('the published client lists groups, and creates, reads, lists, updates and deletes mappings', async () => {
  const groupIds = [];
  for (const name of ['First', 'Second', 'Third']) {
    groupIds.push(await addGroup(gateway, [await addPerson(gateway)], { name }));
  }
  const listed: string[] = [];
  for await (const page of await client.scim.listGroups({ limit: 2 })) {
    listed.push(...page.result.data.map(({ id }) => id));
  }
  expect(listed).toEqual(groupIds);

  const { data } = await create(groupIds[0]!, 'member');
  expect(data).toMatchObject({ scimGroupId: groupIds[0], workspaceId: gateway.workspaceId, role: 'member' });
  expect((await create(groupIds[0]!, 'member')).data).toEqual(data);
  expect((await client.scim.read({ id: data.id })).data).toEqual(data);
  await create(groupIds[1]!, 'admin');
  await create(groupIds[2]!, 'member');
  const roles: string[] = [];
  for await (const page of await client.scim.listMappings({ limit: 2 })) {
    roles.push(...page.result.data.map(({ role }) => role));
  }
  expect(roles).toEqual(['member', 'admin', 'member']);

  const updateScimGroupMappingRequest = { role: 'admin' as const };
  const updated = await client.scim.update({ id: data.id, updateScimGroupMappingRequest });
  expect(updated.data.role).toBe('admin');
  expect(await client.scim.delete({ id: data.id, keepMembers: true })).toEqual({ deleted: true });
});

test('the published client throws its own error classes for 409 and 404', async () => {
  const groupId = await addGroup(gateway);
  await create(groupId, 'member');
  expect(await thrownBy(create(groupId, 'admin'))).toBeInstanceOf(ConflictResponseError);
  expect(await thrownBy(client.scim.read({ id: crypto.randomUUID() }))).toBeInstanceOf(NotFoundResponseError);
  const unknown = client.scim.delete({ id: crypto.randomUUID(), keepMembers: false });
  expect(await thrownBy(unknown)).toBeInstanceOf(NotFoundResponseError);
});
