import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHeldRemovalStore } from '../../../../db/directory/held-removal-store.ts';
import { MAX_CHANGES } from '../../../../domain/directory/job.ts';
import { somePeople } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

const LEAVERS = 50;
const JOINERS = MAX_CHANGES + 500;

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

afterAll(() => scene.close());

/** Each test has an organization in which 50 people with a key each are about to leave, and thousands to join. */
beforeEach(async () => {
  const { source, directory } = scene;
  organization = await scene.newSynced();
  await organization.connect();
  source.pageSize = 1_000;
  source.people = somePeople(LEAVERS);
  await organization.sync();
  for (const userId of (await organization.members()).keys())
    await organization.addKey({ workspaceId: organization.defaultWorkspaceId, creatorUserId: userId });
  expect(await directory.knex('api_keys').where({ organization_id: organization.id })).toHaveLength(LEAVERS);
  source.people = somePeople(LEAVERS + JOINERS);
  for (const person of source.people.slice(0, LEAVERS)) person['active'] = false;
});

async function expectLines(jobId: string): Promise<void> {
  const lines = await organization.lines(jobId);
  const removals = lines.filter((line) => line.kind === 'organization_member' && line.to_value === null);
  expect(new Set(removals.map(({ name }) => name)).size).toBe(LEAVERS);
  const keys = lines.filter(({ kind, to_value: to }) => kind === 'key' && to === 'disabled');
  expect(new Set(keys.map(({ key_hash: hash }) => hash)).size).toBe(LEAVERS);
  expect(lines).toHaveLength(2 * LEAVERS + MAX_CHANGES);
}

describe('the change list of a job with too many joiners', () => {
  test('names each leaver and each disabled key', async () => {
    const job = await organization.sync({ allowDeletions: true });
    expect(job).toMatchObject({ counts: { membersAdded: JOINERS, membersRemoved: LEAVERS } });
    await expectLines(job.id);
  });

  test('names each leaver and key in a dry run, and counts towards the removals of an hour', async () => {
    const { knex } = scene.directory;
    await expectLines((await organization.sync({ dryRun: true })).id);
    const jobId = await organization.addJob({ trigger: 'push' });
    await knex.raw(
      `insert into directory_changes (organization_id, job_id, kind, name, to_value, is_removal)
       select ?, ?, 'organization_member', 'A joiner', 'org:member', false from generate_series(1, ${MAX_CHANGES})`,
      [organization.id, jobId],
    );
    const people = await knex('directory_people').where({ organization_id: organization.id }).select('id');
    const ids = people.map(({ id }: { id: string }) => id).slice(0, 11);
    await knex('directory_people').whereIn('id', ids).update({ active: false });
    await organization.apply(ids, { jobId });
    const recent = await createHeldRemovalStore(knex, organization.id).pushedRecently();
    expect(recent.toSorted()).toEqual(ids.toSorted());
  });
});
