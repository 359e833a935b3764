import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bridged } from '../../../support/knex-bridge.ts';
import { renderRemovalsHeld } from '../../../../contract/directory/removals-held-event.ts';
import { createPush, type Push } from '../../../../services/directory/push/push.ts';
import { createConcurrencyLimit } from '../../../../services/concurrency-limit.ts';
import { createSyncScene, type SyncedOrganization, type SyncScene } from '../../../support/sync-scene.ts';
import { int4 } from '../../../../db/postgres/shape.ts';
import { rowsOf } from '../../../../db/postgres/statement.ts';

let scene: SyncScene;
let organization: SyncedOrganization;
let personIds: string[];

beforeAll(async () => {
  scene = await createSyncScene();
});

beforeEach(async () => {
  organization = await scene.newSynced();
  const names = Array.from({ length: 60 }, (_, n) => `user-${n}`);
  personIds = await organization.addPeople(...names);
});

afterAll(() => scene.close());

async function leave(count: number, columns: Record<string, unknown> = {}): Promise<void> {
  for (const id of personIds.slice(0, count)) await organization.change(id, { active: false, ...columns });
}

async function countOf(condition: string): Promise<number> {
  const [row] = await rowsOf(
    scene.directory.knex,
    { n: int4 },
    `select count(*)::integer n from directory_people where organization_id = :id and ${condition}`,
    { id: organization.id },
  );
  return row!.n;
}

describe('a requested sync of pushed people', () => {
  test('makes all 60 people members', async () => {
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { membersAdded: 60 } });
    expect(await organization.memberNames()).toHaveLength(60);
    expect(await organization.leftovers()).toBe(0);
  });

  test('fails with guard_deletions and lists the 13 people it would remove', async () => {
    await organization.sync();
    await leave(13);
    const job = await organization.sync();
    expect(job).toMatchObject({ state: 'failed', errorReason: 'guard_deletions' });
    expect(await organization.memberNames()).toHaveLength(60);
    const removed = (await organization.lines(job.id)).filter(
      ({ kind, to_value: to }) => kind === 'organization_member' && to === null,
    );
    expect(removed).toHaveLength(13);
  });

  test('leaves held removals alone, and applies them once deletions are allowed', async () => {
    await organization.sync();
    await leave(13, { removal_held_at: new Date() });
    expect(await organization.sync()).toMatchObject({ state: 'succeeded' });
    expect(await organization.memberNames()).toHaveLength(60);
    expect(await organization.sync({ allowDeletions: true })).toMatchObject({
      state: 'succeeded',
      counts: { membersRemoved: 13 },
    });
    expect(await organization.memberNames()).toHaveLength(47);
    expect(await countOf('removal_held_at is not null')).toBe(0);
  });

  test('changes nothing in a dry run', async () => {
    const job = await organization.sync({ dryRun: true });
    expect(job).toMatchObject({ state: 'succeeded', counts: { membersAdded: 60 } });
    expect(await organization.memberNames()).toEqual([]);
  });
});

describe('a push of many removals during a sync', () => {
  let push: Push;

  beforeEach(async () => {
    const names = Array.from({ length: 90 }, (_, n) => `more-${n}`);
    personIds.push(...(await organization.addPeople(...names)));
    push = createPush({
      knex: scene.directory.knex,
      concurrencyLimit: createConcurrencyLimit({ maxConcurrent: 1, waitMs: 60_000 }),
      runs: { startDirectorySync: async () => undefined },
      logger: { warn: () => undefined },
      renderRemovalsHeld,
    });
  });

  async function deactivate(ids: readonly string[]): Promise<void> {
    const { id: organizationId } = organization;
    const call = { organizationId, actor: { organizationId }, gone: new AbortController().signal };
    await push(call, async (transaction) => {
      await bridged(transaction)('directory_people')
        .whereIn('id', [...ids])
        .update({ active: false });
      return { answer: undefined, personIds: ids, entries: [] };
    });
  }

  test.each(['request', 'push'] as const)(
    'waits for a later run and is not applied by a running %s',
    async (trigger) => {
      await organization.sync();
      for (const id of personIds) await organization.change(id, { pending: 'free' });
      const run = await organization.planSync({ trigger });
      await deactivate(personIds.slice(0, 120));
      expect(await organization.applySync(run)).toMatchObject({
        state: 'succeeded',
        counts: { membersRemoved: 0 },
      });
      expect(await organization.memberNames()).toHaveLength(150);
      expect(await countOf(`pending = 'guarded'`)).toBe(120);
      const judged = await organization.sync({ trigger: 'push', isFull: false });
      expect(judged).toMatchObject({ state: 'succeeded', warnings: [{ reason: 'removals_held' }] });
      expect(await organization.memberNames()).toHaveLength(150);
      expect(await countOf('removal_held_at is not null')).toBe(120);
    },
  );

  test('stays pending in a sync without deletions and applies in one with them', async () => {
    await organization.sync();
    await leave(5, { pending: 'guarded' });
    expect(await organization.sync()).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 0 } });
    expect(await countOf(`pending = 'guarded'`)).toBe(5);
    expect(await organization.sync({ allowDeletions: true })).toMatchObject({
      counts: { membersRemoved: 5 },
    });
    expect(await countOf('pending is not null')).toBe(0);
  });
});

describe('a run for pending people', () => {
  const push = { trigger: 'push', isFull: false } as const;

  test('applies those people and no others', async () => {
    for (const id of personIds.slice(0, 20)) await organization.change(id, { pending: 'guarded' });
    expect(await organization.sync(push)).toMatchObject({ state: 'succeeded', counts: { membersAdded: 20 } });
    expect(await countOf('pending is not null')).toBe(0);
  });

  test('holds removals that are too many and applies the rest', async () => {
    await organization.sync();
    await leave(13, { pending: 'guarded' });
    const late = await organization.addPerson({ userName: 'late' });
    await organization.change(late, { pending: 'guarded' });
    const job = await organization.sync(push);
    expect(job).toMatchObject({ state: 'succeeded', warnings: [{ reason: 'removals_held' }] });
    expect(await organization.memberNames()).toHaveLength(61);
    expect(await countOf('removal_held_at is not null')).toBe(13);
    expect(await countOf('pending is not null')).toBe(0);
  });

  test('removes 13 people unguarded when a mapping has changed', async () => {
    await organization.sync();
    await leave(13, { pending: 'free' });
    const job = await organization.sync({ trigger: 'mapping', isFull: false });
    expect(job).toMatchObject({ state: 'succeeded', counts: { membersRemoved: 13 }, warnings: [] });
  });
});
