import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bridged } from '../../support/knex-bridge.ts';
import { renderRemovalsHeld } from '../../../contract/directory/removals-held-event.ts';
import type { SyncDirectoryInput } from '../../../domain/runs.ts';
import { createPush, type Push, type PushCall } from '../../../services/directory/push/push.ts';
import { createConcurrencyLimit } from '../../../services/concurrency-limit.ts';
import {
  createDirectoryScene,
  type DirectoryOrganization,
  type DirectoryScene,
} from '../../support/directory-scene.ts';

let scene: DirectoryScene;
let organization: DirectoryOrganization;
let push: Push;
let started: SyncDirectoryInput[];
let temporalIsAway: boolean;

beforeAll(async () => {
  scene = await createDirectoryScene();
});

afterAll(() => scene.close());

beforeEach(async () => {
  organization = await scene.newOrganization();
  started = [];
  temporalIsAway = false;
  push = createPush({
    knex: scene.knex,
    concurrencyLimit: createConcurrencyLimit({ maxConcurrent: 1, waitMs: 60_000 }),
    runs: {
      startDirectorySync: async (input) => {
        if (temporalIsAway) throw new Error('Temporal is away');
        started.push(input);
      },
    },
    logger: { warn: () => undefined },
    renderRemovalsHeld,
  });
});

const call = (facts: Partial<PushCall> = {}): PushCall => ({
  organizationId: organization.id,
  actor: { organizationId: organization.id },
  gone: new AbortController().signal,
  ...facts,
});

/** People who are members. */
async function addMembers(count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `person${n}`);
  const ids = await organization.addPeople(...names);
  await organization.apply(ids);
  return ids;
}

const set = (ids: readonly string[], columns: Record<string, unknown>): Promise<void> =>
  push(call(), async (transaction) => {
    await bridged(transaction)('directory_people')
      .whereIn('id', [...ids])
      .update(columns);
    return { answer: undefined, personIds: ids, entries: [] };
  });

const deactivate = (...ids: string[]): Promise<void> => set(ids, { active: false });

const held = async (): Promise<string[]> =>
  (
    await scene
      .knex('directory_people')
      .where({ organization_id: organization.id })
      .whereNotNull('removal_held_at')
      .orderBy('user_name')
      .select<{ id: string }[]>('id')
  ).map(({ id }) => id);

const memberCount = async (): Promise<number> => (await organization.members()).size;

const jobs = () => scene.knex('directory_jobs').where({ organization_id: organization.id });

const pending = async (): Promise<Set<string | null>> =>
  new Set(
    (
      await scene
        .knex('directory_people')
        .where({ organization_id: organization.id })
        .select<{ pending: string | null }[]>('pending')
    ).map((row) => row.pending),
  );

const events = () =>
  scene
    .knex('webhook_deliveries')
    .where({ organization_id: organization.id })
    .select<{ event_type: string; payload: string }[]>('event_type', 'payload');

describe('a push', () => {
  test('applies its changes at once with audit rows and returns its answer', async () => {
    const [id] = await organization.addPeople('ada');
    const answer = await push(call(), async () => ({
      answer: 'done',
      personIds: [id!],
      entries: [{ action: 'createScimUser', target: `scim/v2/Users/${id}` }],
    }));
    expect(answer).toBe('done');
    expect(await memberCount()).toBe(1);
    expect(await organization.audited()).toEqual([`createScimUser scim/v2/Users/${id}`]);
    expect(await jobs()).toEqual([]);
  });

  test('rolls everything back when its work fails', async () => {
    const [id] = await organization.addPeople('ada');
    const failing = push(call(), async (transaction) => {
      await bridged(transaction)('directory_people').where({ id }).update({ user_name: 'other' });
      throw new Error('the work fails');
    });
    await expect(failing).rejects.toThrow('the work fails');
    expect(await scene.knex('directory_people').where({ id }).first()).toMatchObject({ user_name: 'ada' });
  });

  test('fails with directory_is_pulled while a source is connected, except for mappings', async () => {
    await scene.knex('scim_sources').insert({
      organization_id: organization.id,
      type: 'scim',
      base_url: 'https://scim.example.com',
      sealed_token: 'sealed',
      interval_minutes: 60,
      disable_keys: 'all',
    });
    const work = async () => ({ answer: 'done', personIds: [], entries: [], guarded: false });
    await expect(push(call(), work)).rejects.toMatchObject({ code: 'directory_is_pulled' });
    expect(await push(call({ allowPulled: true }), work)).toBe('done');
  });

  test('holds no connection while it waits: 50 at once all take effect', async () => {
    const ids = await organization.addPeople(...Array.from({ length: 50 }, (_, n) => `person${n}`));
    // Connections that are in use or asked for, seen from inside each piece of work.
    const connections: number[] = [];
    await Promise.all(
      ids.map((id) =>
        push(call(), async () => {
          const { used, waiting } = scene.poolUse();
          connections.push(used + waiting);
          return { answer: id, personIds: [id], entries: [] };
        }),
      ),
    );
    expect(await memberCount()).toBe(50);
    expect(connections).toEqual(ids.map(() => 1));
  });

  test('acts at once for 100 people, and queues a guarded job for 101', async () => {
    const ids = await organization.addPeople(...Array.from({ length: 201 }, (_, n) => `person${n}`));
    const pushAll = (personIds: string[]) =>
      push(call(), async () => ({ answer: undefined, personIds, entries: [] }));
    await pushAll(ids.slice(0, 100));
    expect(await memberCount()).toBe(100);
    await pushAll(ids.slice(100));
    expect(await memberCount()).toBe(100);
    expect(await pending()).toEqual(new Set([null, 'guarded']));
    const [job] = await jobs();
    expect(job).toMatchObject({ trigger: 'push', state: 'queued', source: 'pushed', dry_run: false });
    expect(started).toEqual([{ jobId: job.id, organizationId: organization.id }]);
    await pushAll(ids.slice(100));
    expect(await jobs()).toHaveLength(1);
  });

  test('keeps its job when the run cannot be started', async () => {
    temporalIsAway = true;
    const ids = await organization.addPeople(...Array.from({ length: 101 }, (_, n) => `person${n}`));
    await push(call(), async () => ({ answer: undefined, personIds: ids, entries: [] }));
    expect(await jobs()).toHaveLength(1);
  });
});

describe('a change of a mapping', () => {
  const change = (personIds: readonly string[]) =>
    push(call(), async () => ({ answer: undefined, personIds, entries: [], guarded: false }));

  test('removes people without a guard and does not count as a pushed removal', async () => {
    const ids = await addMembers(20);
    await scene.knex('directory_people').whereIn('id', ids.slice(0, 12)).update({ active: false });
    await change(ids);
    expect([await memberCount(), await held()]).toEqual([8, []]);
    await deactivate(ids[12]!);
    expect([await memberCount(), await held()]).toEqual([7, []]);
  });

  test('acts at once for 1,000 people, and queues an unguarded job for more', async () => {
    const ids = await organization.addPeople(...Array.from({ length: 1_001 }, (_, n) => `person${n}`));
    await change(ids.slice(0, 1_000));
    expect(await memberCount()).toBe(1_000);
    await change(ids);
    expect(await pending()).toEqual(new Set(['free']));
    expect(await jobs()).toMatchObject([{ trigger: 'mapping' }]);
  });

  test('leaves out people who are pending for a guarded run', async () => {
    const [id] = await addMembers(1);
    await organization.change(id!, { active: false, pending: 'guarded' });
    await change([id!]);
    expect(await memberCount()).toBe(1);
    expect(await pending()).toEqual(new Set(['guarded']));
  });
});

describe('removals that a directory pushes', () => {
  test('take effect at once for a single person', async () => {
    const [id] = await addMembers(1);
    await deactivate(id!);
    expect([await memberCount(), await held()]).toEqual([0, []]);
  });

  test('add up one by one, and are held beyond 10 people and 20 %', async () => {
    const ids = await addMembers(20);
    for (const id of ids.slice(0, 12)) await deactivate(id);
    expect(await memberCount()).toBe(10);
    expect(await held()).toHaveLength(2);
    expect(new Set(await held())).toEqual(new Set(ids.slice(10, 12)));
  });

  test('take effect up to 20 % of any number of people', async () => {
    const ids = await addMembers(60);
    await deactivate(...ids.slice(0, 12));
    expect([await memberCount(), await held()]).toEqual([48, []]);
    await deactivate(ids[12]!);
    expect([await memberCount(), (await held()).length]).toEqual([48, 1]);
  });

  test('no longer count towards the limit after an hour', async () => {
    const ids = await addMembers(20);
    await deactivate(...ids.slice(0, 10));
    await scene.knex('directory_changes').update({ created_at: new Date(Date.now() - 3_601_000) });
    await deactivate(ids[10]!);
    expect([await memberCount(), await held()]).toEqual([9, []]);
  });

  test('count for a workspace as for the organization', async () => {
    const workspaceId = await organization.addWorkspace();
    const ids = await addMembers(20);
    const group = await organization.addGroup(ids, [[workspaceId, 'member']]);
    await organization.apply(ids);
    await push(call(), async (transaction) => {
      await bridged(transaction)('directory_group_members').where({ group_id: group }).delete();
      return { answer: undefined, personIds: ids, entries: [] };
    });
    expect((await organization.shown(workspaceId)).size).toBe(20);
    expect(await held()).toHaveLength(20);
  });

  test('count together with those of a push job', async () => {
    const ids = await addMembers(20);
    await scene.knex('directory_people').whereIn('id', ids.slice(0, 10)).update({ active: false });
    await organization.apply(ids.slice(0, 10), { jobId: await organization.addJob({ trigger: 'push' }) });
    await deactivate(ids[10]!);
    expect([await memberCount(), (await held()).length]).toEqual([10, 1]);
  });

  test('send one event when held, and the next only after none was held', async () => {
    await scene
      .knex('workspaces')
      .where({ id: organization.defaultWorkspaceId })
      .update({ default_callback_url: 'https://hooks.example.com' });
    const ids = await addMembers(20);
    await deactivate(...ids.slice(0, 11));
    await deactivate(...ids.slice(11, 13));
    expect(await events()).toHaveLength(1);
    const [event] = await events();
    expect(event?.event_type).toBe('directory.removals_held');
    expect(JSON.parse(event!.payload)).toMatchObject({
      type: 'directory.removals_held',
      data: { organization_id: organization.id, people: 11 },
    });
    await set(ids, { active: true });
    expect(await held()).toEqual([]);
    await deactivate(...ids.slice(0, 11));
    expect(await events()).toHaveLength(2);
  });

  test('end their hold for a person who is assigned again, and no other', async () => {
    const ids = await addMembers(20);
    await deactivate(...ids.slice(0, 11));
    expect(await held()).toHaveLength(11);
    await set([ids[0]!], { active: true });
    expect((await held()).toSorted()).toEqual(ids.slice(1, 11).toSorted());
    await set([ids[1]!], { user_name: 'another' });
    expect(await held()).toHaveLength(10);
    expect(await memberCount()).toBe(20);
  });
});
