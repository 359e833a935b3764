import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import { BadRequestResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors';
import { addUser } from '../support/accounts.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient, thrownBy } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = publishedClient(gateway, gateway.managementKey);
});

afterAll(() => gateway.close());

describe('the unmodified public client', () => {
  test('makes, lists and deletes workspaces', async () => {
    const made: string[] = [];
    for (const slug of ['client-a', 'client-b', 'client-c']) {
      const { data } = await client.workspaces.create({
        createWorkspaceRequest: { name: 'By the client', slug, ioLoggingSamplingRate: 0.5 },
      });
      expect(data).toMatchObject({ slug, ioLoggingSamplingRate: 0.5, ioLoggingApiKeyIds: null });
      made.push(data.id);
    }
    const listed: string[] = [];
    for await (const page of await client.workspaces.list({ limit: 2 })) {
      listed.push(...page.result.data.map(({ id }) => id));
    }
    expect(listed).toEqual([gateway.workspaceId, ...made]);
    for (const id of made) expect(await client.workspaces.delete({ id })).toEqual({ deleted: true });
    expect(await thrownBy(client.workspaces.get({ id: 'client-a' }))).toBeInstanceOf(NotFoundResponseError);
    expect(await thrownBy(client.workspaces.delete({ id: 'default' }))).toBeInstanceOf(
      BadRequestResponseError,
    );
  });

  test('manages members of workspaces and lists those of the organization', async () => {
    const userId = await addUser(gateway, gateway.organizationId);
    const everybody: string[] = [];
    for await (const page of await client.organization.listMembers()) {
      everybody.push(...page.result.data.map(({ id }) => id));
    }
    expect(everybody).toHaveLength(2);
    expect(everybody).toContain(userId);

    await client.workspaces.create({ createWorkspaceRequest: { name: 'Team', slug: 'team' } });
    const change = { id: 'team', bulkAddWorkspaceMembersRequest: { userIds: [userId] } };
    const { addedCount, data } = await client.workspaces.bulkAddMembers(change);
    expect([addedCount, data]).toEqual([1, [expect.objectContaining({ userId, role: 'member' })]]);
    const members: unknown[] = [];
    for await (const page of await client.workspaces.listMembers({ id: 'team' })) {
      members.push(...page.result.data);
    }
    expect(members).toEqual(data);
    const removal = { id: 'team', bulkRemoveWorkspaceMembersRequest: { userIds: [userId] } };
    expect(await client.workspaces.bulkRemoveMembers(removal)).toEqual({ removedCount: 1 });
  });

  test('manages budgets and reads the credits', async () => {
    await client.workspaces.create({ createWorkspaceRequest: { name: 'Frugal', slug: 'frugal' } });
    const place = { workspaceRef: 'frugal', interval: 'monthly' } as const;
    const set = await client.workspaces.setBudget({
      ...place,
      upsertWorkspaceBudgetRequest: { limitUsd: 500, includeByokInBudgets: true },
    });
    expect(set).toMatchObject({
      data: { limitUsd: 500, resetInterval: 'monthly' },
      includeByokInBudgets: true,
    });
    expect(await client.workspaces.getBudget(place)).toEqual(set);
    expect((await client.workspaces.listBudgets({ workspaceRef: 'frugal' })).data).toEqual([set.data]);
    expect(await client.workspaces.deleteBudget(place)).toEqual({ deleted: true });
    expect(await thrownBy(client.workspaces.getBudget(place))).toBeInstanceOf(NotFoundResponseError);
    expect(await client.credits.getCredits()).toEqual({ data: { totalCredits: 0, totalUsage: 0 } });
  });
});
