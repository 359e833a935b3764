import { describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addUser, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { useOrganization } from '../support/organizations.ts';

let gateway: Gateway;
let place: Place;
let manager: Caller;

useOrganization((opened) => ({ gateway, place, manager } = opened));

const read = async (path: string, caller = manager): Promise<unknown> => {
  const response = await caller.call('GET', path);
  expect(response.status).toBe(200);
  return response.json();
};

describe('GET /organization/members', () => {
  test("lists the organization's members with their roles, the oldest first", async () => {
    expect(await read('/organization/members')).toEqual({ data: [], total_count: 0 });
    const admin = await addUser(gateway, place.organizationId, 'org:admin');
    const member = await addUser(gateway, place.organizationId);
    await addUser(gateway, (await addOrganization(gateway)).organizationId);
    const shown = { email: 'someone@example.com', first_name: 'Some', last_name: null };
    const records = [
      { id: admin, ...shown, role: 'org:admin' },
      { id: member, ...shown, role: 'org:member' },
    ];
    expect(await read('/organization/members')).toEqual({ data: records, total_count: 2 });
    expect(await read('/organization/members?limit=1&offset=1')).toEqual({
      data: [records[1]],
      total_count: 2,
    });
  });

  test.each(['limit=0', 'limit=101', 'offset=-1'])('answers 400 to %s', async (query) => {
    expect((await errorOf(await manager.call('GET', `/organization/members?${query}`))).code).toBe(400);
  });
});

describe('/organization/settings', () => {
  test("shows and changes the organization's settings, with a row in the audit log", async () => {
    const settings = (enabled: boolean) => ({
      data: { id: place.organizationId, is_filtered_model_catalog_enabled: enabled },
    });
    expect(await read('/organization/settings')).toEqual(settings(false));
    const changed = await manager.call('PATCH', '/organization/settings', {
      body: { is_filtered_model_catalog_enabled: true },
    });
    expect([changed.status, await changed.json()]).toEqual([200, settings(true)]);
    expect(await read('/organization/settings')).toEqual(settings(true));
    expect(await auditRows(gateway, 'organization/settings')).toMatchObject([
      { action: 'updateOrganizationSettings', organization_id: place.organizationId },
    ]);
    expect(
      await read('/organization/settings', createCaller(gateway.origin, gateway.managementKey)),
    ).toMatchObject({
      data: { is_filtered_model_catalog_enabled: false },
    });
  });

  test('hides no model from GET /models/user with the filtered catalog', async () => {
    const { token } = await addKey(gateway, place);
    const caller = createCaller(gateway.origin, token);
    await manager.call('PATCH', '/organization/settings', {
      body: { is_filtered_model_catalog_enabled: true },
    });
    const ids = async (path: string): Promise<string[]> =>
      ((await read(path, caller)) as { data: { id: string }[] }).data.map(({ id }) => id).toSorted();
    const listed = await ids('/models');
    expect(listed.length).toBeGreaterThan(0);
    expect(await ids('/models/user')).toEqual(listed);
  });

  test.each([[{}], [{ is_filtered_model_catalog_enabled: null }], [{ id: 'x' }]])(
    'answers 400 to a change by %j',
    async (body) => {
      expect((await errorOf(await manager.call('PATCH', '/organization/settings', { body }))).code).toBe(400);
    },
  );

  test('answers 403 to a regular key, like /organization/members', async () => {
    for (const path of ['/organization/settings', '/organization/members']) {
      expect(await errorOf(await gateway.call('GET', path))).toMatchObject({
        code: 403,
        message: 'Only management keys can perform this operation',
      });
    }
  });
});
