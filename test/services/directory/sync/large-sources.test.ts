import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MAX_GROUPS, MAX_PEOPLE } from '../../../../domain/directory/limits.ts';
import { sendJson, somePeople } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  const { source } = scene;
  Object.assign(source, { groups: [], fault: undefined, pageSize: 1_000 });
  organization = await scene.newSynced();
  await organization.connect();
});

afterAll(() => scene.close());

describe('a source larger than a run reads', () => {
  test.each([
    ['people', '/Users', MAX_PEOPLE],
    ['groups', '/Groups', MAX_GROUPS],
  ])('fails the job at the first page of %s and removes nobody', async (_kind, path, limit) => {
    const { source } = scene;
    source.people = somePeople(3);
    await organization.sync();
    let pages = 0;
    source.fault = (call, response) => {
      if (call.path !== path) return false;
      pages += 1;
      sendJson(response, 200, { totalResults: limit + 1, Resources: [] });
      return true;
    };
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'source_too_large' });
    expect(pages).toBe(1);
    expect(await organization.memberNames()).toHaveLength(3);
    expect(await organization.leftovers()).toBe(0);
  });
});
