import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sendJson, type SourceFault } from '../../../support/scim-source.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';

let scene: SyncScene;
let organization: SyncedOrganization;

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  organization = await scene.newRead(100);
});

afterAll(() => scene.close());

/** The job fails with this reason, nobody goes and nothing stays of what was read. */
async function expectFailure(reason: string): Promise<void> {
  expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: reason });
  expect(await organization.memberNames()).toHaveLength(100);
  expect(await organization.leftovers()).toBe(0);
}

/** Answers lists of people from the page with this number on. */
function fromPage(page: number, answer: (response: ServerResponse) => void): SourceFault {
  return (call, response) => {
    const startIndex = Number(call.query.get('startIndex'));
    if (call.path !== '/Users' || startIndex <= (page - 1) * 20) return false;
    answer(response);
    return true;
  };
}

describe('a directory that people are read from', () => {
  test('fails the job when a later page answers 500, and removes nobody', async () => {
    scene.source.fault = fromPage(3, (response) => sendJson(response, 500, {}));
    await expectFailure('source_unavailable');
  });

  test('gets a retry after each 429 until it is read whole', async () => {
    let refusals = 0;
    scene.source.fault = fromPage(3, (response) => {
      refusals += 1;
      response.writeHead(429, { 'retry-after': '0' }).end();
      if (refusals === 2) scene.source.fault = undefined;
    });
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { peopleRead: 100 } });
    expect(refusals).toBe(2);
  });

  test('fails the job when it always answers 429', async () => {
    scene.source.fault = fromPage(1, (response) => void response.writeHead(429).end());
    await expectFailure('source_unavailable');
  });

  test('fails the job when it never answers', async () => {
    scene.source.fault = fromPage(1, () => {});
    await expectFailure('source_unavailable');
  });

  test('fails the job when it answers with HTML', async () => {
    scene.source.fault = fromPage(2, (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
    });
    await expectFailure('source_invalid');
  });

  test('fails the job when it answers JSON without a list', async () => {
    scene.source.fault = fromPage(1, (response) => sendJson(response, 200, { users: [] }));
    await expectFailure('source_invalid');
  });

  test('fails the job when it redirects, and the redirect is not followed', async () => {
    scene.source.fault = fromPage(1, (response) => {
      response.writeHead(302, { location: `${scene.source.baseUrl}/elsewhere` }).end();
    });
    await expectFailure('source_invalid');
    expect(scene.source.calls.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  test.each([401, 403])('fails the job at once when it answers %i', async (status) => {
    scene.source.fault = fromPage(1, (response) => sendJson(response, status, {}));
    await expectFailure('source_unauthorized');
    expect(scene.source.calls).toHaveLength(1);
  });

  test('fails the job when it sends the same page three more times', async () => {
    const { source } = scene;
    source.fault = fromPage(3, (response) =>
      sendJson(response, 200, { totalResults: 100, Resources: source.people.slice(20, 40) }),
    );
    await expectFailure('source_incomplete');
    expect(source.calls.filter(({ query }) => query.get('startIndex') === '41')).toHaveLength(3);
  });

  test('stays readable to its end when it repeats a page once', async () => {
    const { source } = scene;
    source.fault = fromPage(3, (response) => {
      source.fault = undefined;
      sendJson(response, 200, { totalResults: 100, Resources: source.people.slice(20, 40) });
    });
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { peopleRead: 100 } });
  });

  test('fails the job when its total differs from its people', async () => {
    const { source } = scene;
    source.fault = fromPage(5, (response) =>
      sendJson(response, 200, { totalResults: 90, Resources: source.people.slice(80) }),
    );
    await expectFailure('source_incomplete');
  });

  test('gets a second read when it changes between pages, and nobody is lost', async () => {
    const { source } = scene;
    source.fault = (call) => {
      if (call.path !== '/Users' || call.query.get('startIndex') !== '41') return false;
      source.fault = undefined;
      source.people.unshift({ id: 'new', userName: 'new@example.com' });
      return false;
    };
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { peopleRead: 101 } });
    expect(await organization.memberNames()).toHaveLength(101);
  });

  test('loses one person between pages, who is removed by the next sync', async () => {
    const { source } = scene;
    source.fault = (call) => {
      if (call.path !== '/Users' || call.query.get('startIndex') !== '41') return false;
      source.fault = undefined;
      source.people.shift();
      return false;
    };
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { peopleRead: 99 } });
    expect(await organization.memberNames()).toHaveLength(100);
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 1 } });
    expect(await organization.memberNames()).toHaveLength(99);
  });

  test('stays the same source with attribute names in another case', async () => {
    const { source } = scene;
    source.render = ({ id, userName, emails, ...others }) => ({
      ...others,
      ID: id,
      UserName: String(userName).toUpperCase(),
      Emails: emails,
    });
    expect(await organization.sync()).toMatchObject({
      state: 'succeeded',
      counts: { membersAdded: 0, membersRemoved: 0 },
    });
    expect(await organization.memberNames()).toHaveLength(100);
  });

  test('fails the job with two user names that differ only in case', async () => {
    scene.source.people.push({ id: 'double', userName: 'USER-7@example.com' });
    await expectFailure('source_invalid');
  });

  test('may send a malformed person, who stays as stored with a warning', async () => {
    delete (scene.source.people[7] as Record<string, unknown>)['userName'];
    const job = await organization.sync();
    expect(job).toMatchObject({ state: 'succeeded', warnings: [{ reason: 'person_not_understood' }] });
    expect(job.warnings[0]!.message).toContain('id-7');
    expect(await organization.memberNames()).toHaveLength(100);
  });

  test('fails the job with a person without an id', async () => {
    delete (scene.source.people[7] as Record<string, unknown>)['id'];
    await expectFailure('source_invalid');
  });

  test('may send characters that Postgres cannot store', async () => {
    scene.source.people[7]!['displayName'] = 'Nul \0 and half \ud800 a pair';
    expect(await organization.sync()).toMatchObject({ state: 'succeeded' });
  });

  test('fails the job when a look-up by id gets 410, and removes nobody', async () => {
    const { source } = scene;
    source.people.pop();
    source.fault = (call, response) => {
      if (!call.path.startsWith('/Users/')) return false;
      sendJson(response, 410, {});
      return true;
    };
    await expectFailure('source_invalid');
  });
});

describe('the guard', () => {
  test('stops a job whose source is empty', async () => {
    scene.source.people = [];
    await expectFailure('guard_empty');
  });

  test('stops a job that would remove more than a fifth, and lists them', async () => {
    scene.source.people.splice(0, 21);
    await expectFailure('guard_deletions');
    const jobs = await scene.directory
      .knex('directory_jobs')
      .where({ organization_id: organization.id, state: 'failed' });
    const lines = await organization.lines(jobs[0].id);
    expect(lines.filter(({ is_removal: isRemoval }) => isRemoval).length).toBeGreaterThanOrEqual(21);
  });

  test('counts inactive people as removals', async () => {
    for (const person of scene.source.people.slice(0, 21)) person['active'] = false;
    await expectFailure('guard_deletions');
  });

  test('lets a job pass that allows deletions', async () => {
    scene.source.people = [];
    expect(await organization.sync({ allowDeletions: true })).toMatchObject({
      state: 'succeeded',
      counts: { membersRemoved: 100 },
    });
    expect(await organization.memberNames()).toEqual([]);
  });

  test('changes nothing in a dry run, which warns of guard_deletions', async () => {
    scene.source.people.splice(0, 21);
    scene.source.people.push({ id: 'new', userName: 'new@example.com' });
    const job = await organization.sync({ dryRun: true });
    expect(job).toMatchObject({
      state: 'succeeded',
      counts: { membersAdded: 1, membersRemoved: 21 },
      warnings: [{ reason: 'guard_deletions' }],
    });
    expect(await organization.memberNames()).toHaveLength(100);
    expect(await organization.leftovers()).toBe(0);
  });

  test('stops a job that would delete more than a fifth of the groups', async () => {
    const { source } = scene;
    source.groups = Array.from({ length: 20 }, (_, n) => ({
      id: `g-${n}`,
      displayName: `G ${n}`,
      members: [],
    }));
    await organization.sync();
    source.groups.splice(0, 11);
    expect(await organization.sync()).toMatchObject({ state: 'failed', errorReason: 'guard_deletions' });
    expect(await organization.sync({ allowDeletions: true })).toMatchObject({
      state: 'succeeded',
      syncedGroups: 9,
      deletedGroups: 11,
    });
  });
});
