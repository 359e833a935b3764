import { describe, expect, test } from '@jest/globals';
import type { Place } from '../support/accounts.ts';
import type { Caller } from '../support/caller.ts';
import {
  addGroup,
  addPeople,
  addPerson,
  deleteMapping,
  listMappings,
  makeMapping,
  rolesIn,
  useCompany,
} from '../support/directory.ts';
import type { Gateway } from '../support/gateway.ts';
import { makeWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let company: Gateway;
let place: Place;
let manager: Caller;
let workspaceId: string;

useCompany((opened) => ({ gateway, company, place, manager, workspaceId } = opened));

const mapped = async (personIds: string[], workspace = workspaceId) =>
  makeMapping(manager, await addGroup(company, personIds), workspace);

describe('a large group', () => {
  const jobs = async () =>
    (
      await gateway.database.query<{ trigger: string; pending: string }>(
        `select j.trigger, count(p.id) pending from directory_jobs j
           left join directory_people p on p.organization_id = j.organization_id and p.pending = 'free'
         where j.organization_id = $1 group by j.id`,
        [place.organizationId],
      )
    ).rows;

  test('gets its mapping applied before the response with 1,000 people', async () => {
    await mapped(await addPeople(company, 1_000));
    const members = await manager.call('GET', '/workspaces/team/members');
    expect(await members.json()).toMatchObject({ total_count: 1_000 });
    expect(await jobs()).toEqual([]);
  });

  test('gets its mapping applied by a sync job with 1,001 people', async () => {
    const { id } = await mapped(await addPeople(company, 1_001));
    expect(await rolesIn(manager, workspaceId)).toEqual({});
    expect(await jobs()).toEqual([{ trigger: 'mapping', pending: '1001' }]);
    expect((await listMappings(manager)).data.map((mapping) => mapping.id)).toEqual([id]);
  });
});

describe('a deleted workspace', () => {
  test('loses its mappings and their memberships', async () => {
    const ann = await addPerson(company);
    await mapped([ann]);
    const other = await mapped([ann], (await makeWorkspace(manager, 'other')).id);
    expect((await manager.call('DELETE', '/workspaces/team')).status).toBe(200);
    expect((await listMappings(manager)).data).toEqual([other]);
    const { rows } = await gateway.database.query(
      'select from directory_memberships where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual([]);
  });

  test('can be deleted concurrently with its mapping without a deadlock', async () => {
    const people = await addPeople(company, 20);
    for (let round = 0; round < 10; round += 1) {
      const { id: workspace } = await makeWorkspace(manager, `round-${round}`);
      const { id, scim_group_id: groupId } = await mapped(people, workspace);
      const answers = await Promise.all([
        deleteMapping(manager, id, round % 2 === 0),
        manager.call('DELETE', `/workspaces/${workspace}`),
      ]);
      expect([200, 404]).toContain(answers[0].status);
      expect(answers[1].status).toBe(200);
      const left = await gateway.database.query('select from directory_mappings where group_id = $1', [
        groupId,
      ]);
      expect(left.rowCount).toBe(0);
    }
  });
});
