import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { failSync } from '../../../../services/directory/sync/end-sync.ts';
import { sendJson, somePeople } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  organization = await scene.newRead(30);
});

afterAll(() => scene.close());

/** By user name: the row and the user. */
async function people(): Promise<
  Map<string, { id: string; user_id: string | null; deleted_at: Date | null }>
> {
  const rows = await scene.directory.knex('directory_people').where({ organization_id: organization.id });
  return new Map(rows.map((row) => [row.user_name, row]));
}

async function formerNames(organizationId: string): Promise<string[]> {
  const rows = await scene.directory
    .knex('directory_former_names')
    .join('directory_people', 'id', 'person_id')
    .where({ organization_id: organizationId })
    .orderBy('name');
  return rows.map(({ name }) => name);
}

describe('a person of the source', () => {
  test('keeps the user on a return under the same user name', async () => {
    const before = (await people()).get('user-3@example.com')!;
    const [gone] = scene.source.people.splice(3, 1);
    expect(await organization.sync()).toMatchObject({ counts: { membersRemoved: 1 } });
    scene.source.people.push({ ...gone!, id: 'another', externalId: 'another' });
    expect(await organization.sync()).toMatchObject({ counts: { membersAdded: 1 } });
    expect((await people()).get('user-3@example.com')).toMatchObject({
      id: before.id,
      user_id: before.user_id,
    });
  });

  test('keeps the user by external id despite a new id and name', async () => {
    const before = (await people()).get('user-3@example.com')!;
    Object.assign(scene.source.people[3]!, { id: 'another', userName: 'renamed@example.com' });
    expect(await organization.sync()).toMatchObject({ counts: { membersAdded: 0, membersRemoved: 0 } });
    expect((await people()).get('renamed@example.com')).toMatchObject({
      id: before.id,
      user_id: before.user_id,
    });
  });

  test('may exchange user names with another person', async () => {
    const before = await people();
    const [first, second] = scene.source.people;
    [first!.userName, second!.userName] = [second!.userName, first!.userName];
    expect(await organization.sync()).toMatchObject({ state: 'succeeded' });
    const after = await people();
    expect(after.get('user-0@example.com')!.id).toBe(before.get('user-1@example.com')!.id);
    expect(after.get('user-1@example.com')!.id).toBe(before.get('user-0@example.com')!.id);
  });

  test('keeps the user name when a run ends before the exchange is applied', async () => {
    const before = await people();
    const [first, second] = scene.source.people;
    [first!.userName, second!.userName] = [second!.userName, first!.userName];
    const run = await organization.planSync();
    await failSync(scene.directory.knex, run, 'internal');
    expect([...(await people()).keys()].toSorted()).toEqual([...before.keys()].toSorted());
  });
  test.each(['all at once', 'in two syncs'])(
    'loses the keys of former names when renamed and inactive: %s',
    async (how) => {
      const { id: organizationId, defaultWorkspaceId: workspaceId } = organization;
      for (const identitySubject of ['USER-0@example.com', 'external-0', 'user-1@example.com']) {
        await organization.addKey({ workspaceId, identitySubject });
      }
      const [first, second] = scene.source.people;
      Object.assign(first!, { userName: second!.userName, externalId: 'another' });
      Object.assign(second!, { userName: 'third@example.com' });
      if (how === 'in two syncs') {
        expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { keysDisabled: 0 } });
        expect(await formerNames(organizationId)).toEqual([
          'external-0',
          'user-0@example.com',
          'user-1@example.com',
        ]);
      }
      first!['active'] = false;
      expect(await organization.sync({ dryRun: true })).toMatchObject({ counts: { keysDisabled: 3 } });
      expect(await organization.sync()).toMatchObject({ counts: { membersRemoved: 1, keysDisabled: 3 } });
      expect(await organization.enabledKeys()).toEqual([]);
    },
  );

  test('matches by external id and name on a new server, never by old id', async () => {
    const before = await people();
    await organization.connect(scene.source.baseUrl.replace('v2', 'v3'));
    scene.source.people = somePeople(30).map((person, n) => ({ ...person, id: `id-${(n + 1) % 30}` }));
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', warnings: [] });
    const after = await people();
    for (const [name, { id }] of before) expect(after.get(name)!.id).toBe(id);
  });

  test('keeps the id of the old server in a dry run with another', async () => {
    const read = () =>
      scene.directory.knex('directory_people').where({ organization_id: organization.id }).orderBy('id');
    const before = await read();
    await organization.connect(scene.source.baseUrl.replace('v2', 'v3'));
    scene.source.people = somePeople(30).map((person, n) => ({ ...person, id: `id-${(n + 1) % 30}` }));
    scene.source.people.shift();
    const dry = await organization.sync({ dryRun: true });
    expect(dry).toMatchObject({ state: 'succeeded', counts: { membersAdded: 0, membersRemoved: 1 } });
    const lines = await organization.lines(dry.id);
    expect(lines.map(({ name }) => name)).toContain('user-0@example.com');
    expect(await read()).toEqual(before);
  });

  test('loses membership when a new server does not find the user name', async () => {
    await organization.connect(scene.source.baseUrl.replace('v2', 'v3'));
    scene.source.people.shift();
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 1 } });
    const filters = scene.source.calls.map(({ query }) => query.get('filter'));
    expect(filters).toContain('userName eq "user-0@example.com"');
  });
});

describe('a person missing from the list of a new server that cannot filter', () => {
  beforeEach(async () => {
    scene.source.canFilter = false;
    await organization.connect(scene.source.baseUrl.replace('v2', 'v3'));
    scene.source.people.shift();
  });

  test('stays, and the sync fails with source_incomplete', async () => {
    expect(await organization.sync()).toMatchObject({
      state: 'failed',
      errorReason: 'source_incomplete',
      warnings: [{ message: expect.stringContaining('until a sync allows deletions') }],
    });
    expect(await organization.memberNames()).toHaveLength(30);
  });

  test('stays a member when the look-up by id returns another person', async () => {
    scene.source.fault = ({ query }, response) => {
      if (query.get('filter')?.startsWith('userName') !== true) return false;
      sendJson(response, 200, { totalResults: 1, Resources: [{ ...scene.source.people[4] }] });
      return true;
    };
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'source_incomplete' });
    expect(await organization.memberNames()).toHaveLength(30);
  });

  test('leaves with a sync that allows deletions', async () => {
    expect(await organization.sync({ allowDeletions: true })).toMatchObject({
      state: 'succeeded',
      counts: { membersRemoved: 1 },
    });
    scene.source.people.shift();
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 1 } });
  });
});

describe('a held removal', () => {
  const hold = (names: readonly string[]): Promise<unknown> =>
    scene.directory
      .knex('directory_people')
      .where({ organization_id: organization.id })
      .whereIn('user_name', [...names])
      .update({ active: false, removal_held_at: new Date() });

  test('ends with a full read of another source, which decides who stays', async () => {
    await hold(['user-1@example.com', 'user-2@example.com']);
    scene.source.people.splice(1, 1);
    await organization.connect(scene.source.baseUrl.replace('v2', 'v3'));
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 1 } });
    const names = await organization.memberNames();
    expect([names.includes('user-1@example.com'), names.includes('user-2@example.com')]).toEqual([
      false,
      true,
    ]);
    scene.source.people.splice(1, 1);
    expect(await organization.sync()).toMatchObject({ counts: { membersRemoved: 1 } });
    expect(await organization.memberNames()).not.toContain('user-2@example.com');
  });

  test('stays held when the run ends before it reaches the person', async () => {
    await hold(['user-2@example.com']);
    const run = await organization.planSync();
    await failSync(scene.directory.knex, run, 'internal');
    await organization.sync({ trigger: 'mapping', isFull: false });
    expect(await organization.memberNames()).toContain('user-2@example.com');
  });

  test('ends for a person who is unchanged at the source', async () => {
    const person = { organization_id: organization.id, user_name: 'user-2@example.com' };
    await scene.directory.knex('directory_people').where(person).update({ removal_held_at: new Date() });
    await organization.sync();
    expect((await people()).get('user-2@example.com')).toMatchObject({ removal_held_at: null });
  });

  test('counts as a removal when the guard of a full sync counts removals', async () => {
    await hold(scene.source.people.splice(0, 11).map(({ userName }) => userName));
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'guard_deletions' });
    expect(await organization.memberNames()).toHaveLength(30);
  });

  test('stays held while only changes are read', async () => {
    await hold(['user-1@example.com']);
    await organization.sync({ trigger: 'schedule', isFull: false });
    expect(await organization.memberNames()).toHaveLength(30);
  });
});

describe('a scheduled sync', () => {
  test('reads only changes and removes nobody', async () => {
    const { source } = scene;
    source.people.shift();
    const meta = { lastModified: new Date().toISOString() };
    source.people.push({ id: 'new', userName: 'new@example.com', meta });
    const job = await organization.sync({ trigger: 'schedule', isFull: false });
    expect(job).toMatchObject({
      state: 'succeeded',
      isFull: false,
      counts: { peopleRead: 1, membersAdded: 1 },
    });
    expect(await organization.memberNames()).toHaveLength(31);
  });

  test.each([501, 400])('reads everyone when the filter gets %i', async (status) => {
    scene.source.fault = (call, response) => {
      if (!call.query.has('filter')) return false;
      sendJson(response, status, {});
      return true;
    };
    const job = await organization.sync({ trigger: 'schedule', isFull: false });
    expect(job).toMatchObject({ state: 'succeeded', isFull: true, counts: { peopleRead: 30 } });
  });

  test('reads everyone when the source has no filters', async () => {
    scene.source.canFilter = false;
    const job = await organization.sync({ trigger: 'schedule', isFull: false });
    expect(job).toMatchObject({ state: 'succeeded', isFull: true });
  });

  test('reads everyone when a new person has the name of an unread one', async () => {
    const { source } = scene;
    const [gone] = source.people.splice(3, 1);
    const meta = { lastModified: new Date().toISOString() };
    source.people.push({ ...gone!, id: 'another', externalId: 'another', meta });
    const job = await organization.sync({ trigger: 'schedule', isFull: false });
    expect(job).toMatchObject({ state: 'succeeded', isFull: true, counts: { peopleRead: 31 } });
  });
});
