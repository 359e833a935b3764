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

describe('a source', () => {
  test('that fails in the middle fails the job, and nobody goes', async () => {
    scene.source.fault = fromPage(3, (response) => sendJson(response, 500, {}));
    await expectFailure('source_unavailable');
  });

  test('that answers 429 for a time is read to its end', async () => {
    let refusals = 0;
    scene.source.fault = fromPage(3, (response) => {
      refusals += 1;
      response.writeHead(429, { 'retry-after': '0' }).end();
      if (refusals === 2) scene.source.fault = undefined;
    });
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { peopleRead: 100 } });
    expect(refusals).toBe(2);
  });

  test('that answers 429 always fails the job', async () => {
    scene.source.fault = fromPage(1, (response) => void response.writeHead(429).end());
    await expectFailure('source_unavailable');
  });

  test('that never answers fails the job', async () => {
    scene.source.fault = fromPage(1, () => {});
    await expectFailure('source_unavailable');
  });

  test('that answers with HTML fails the job', async () => {
    scene.source.fault = fromPage(2, (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
    });
    await expectFailure('source_invalid');
  });

  test('that answers with JSON that is no list fails the job', async () => {
    scene.source.fault = fromPage(1, (response) => sendJson(response, 200, { users: [] }));
    await expectFailure('source_invalid');
  });

  test('that redirects fails the job, and is not followed', async () => {
    scene.source.fault = fromPage(1, (response) => {
      response.writeHead(302, { location: `${scene.source.baseUrl}/elsewhere` }).end();
    });
    await expectFailure('source_invalid');
    expect(scene.source.calls.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  test.each([401, 403])('that answers %i fails the job at once', async (status) => {
    scene.source.fault = fromPage(1, (response) => sendJson(response, status, {}));
    await expectFailure('source_unauthorized');
    expect(scene.source.calls).toHaveLength(1);
  });

  test('that repeats a page is asked for it again twice, and then fails the job', async () => {
    const { source } = scene;
    source.fault = fromPage(3, (response) =>
      sendJson(response, 200, { totalResults: 100, Resources: source.people.slice(20, 40) }),
    );
    await expectFailure('source_incomplete');
    expect(source.calls.filter(({ query }) => query.get('startIndex') === '41')).toHaveLength(3);
  });

  test('that repeats a page once is read to its end', async () => {
    const { source } = scene;
    source.fault = fromPage(3, (response) => {
      source.fault = undefined;
      sendJson(response, 200, { totalResults: 100, Resources: source.people.slice(20, 40) });
    });
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { peopleRead: 100 } });
  });

  test('that says another total than it has fails the job', async () => {
    const { source } = scene;
    source.fault = fromPage(5, (response) =>
      sendJson(response, 200, { totalResults: 90, Resources: source.people.slice(80) }),
    );
    await expectFailure('source_incomplete');
  });

  test('that changes between pages is read again, and nobody is lost', async () => {
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

  test('that loses somebody between pages removes only that one, by the next sync', async () => {
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

  test('that disagrees on the case of names is the same source', async () => {
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

  test('with two people of one user name in other case fails the job', async () => {
    scene.source.people.push({ id: 'double', userName: 'USER-7@example.com' });
    await expectFailure('source_invalid');
  });

  test('with somebody who is not understood keeps that one as stored', async () => {
    delete (scene.source.people[7] as Record<string, unknown>)['userName'];
    const job = await organization.sync();
    expect(job).toMatchObject({ state: 'succeeded', warnings: [{ reason: 'person_not_understood' }] });
    expect(job.warnings[0]!.message).toContain('id-7');
    expect(await organization.memberNames()).toHaveLength(100);
  });

  test('with somebody without an id fails the job', async () => {
    delete (scene.source.people[7] as Record<string, unknown>)['id'];
    await expectFailure('source_invalid');
  });

  test('with characters that Postgres cannot store is read without them', async () => {
    scene.source.people[7]!['displayName'] = 'Nul \0 and half \ud800 a pair';
    expect(await organization.sync()).toMatchObject({ state: 'succeeded' });
  });

  test('that says who is gone only by an error lets nobody go', async () => {
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

  test('stops a job that would remove more than a fifth, and shows whom', async () => {
    scene.source.people.splice(0, 21);
    await expectFailure('guard_deletions');
    const jobs = await scene.directory
      .knex('directory_jobs')
      .where({ organization_id: organization.id, state: 'failed' });
    const lines = await organization.lines(jobs[0].id);
    expect(lines.filter(({ is_removal: isRemoval }) => isRemoval).length).toBeGreaterThanOrEqual(21);
  });

  test('counts the inactive', async () => {
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

  test('does not change anything in a dry run, which shows what would change', async () => {
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
