import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { directoryWorkflowId } from '../../domain/runs.ts';
import { createLogger } from '../../platform/logger.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { historyOf, historyText, runClosed, shownText } from '../support/runs.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { putSource, stagedRows, type SyncJobRecord, synced, syncEnded } from '../support/syncs.ts';

const faults = createFaultyActivities();
const logged: string[] = [];

let gateway: Gateway;
let manager: Caller;
let source: ScimSource;

beforeAll(async () => {
  source = await startScimSource();
  source.people = somePeople(250);
  source.groups = [{ id: 'g-1', displayName: 'Engineers', members: ['id-1', 'id-2'] }];
  const destination = { write: (line: string) => void logged.push(line) };
  gateway = await startGateway({
    worker: ALL_QUEUES,
    interceptors: faults.interceptors,
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, unclaimedAfterMs: 2_000, setupIntervalMs: 1_000 },
    logger: createLogger({ level: 'trace', name: 'test', destination }),
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await gateway.close();
  await source.close();
});

afterEach(() => faults.heal());

describe('a directory sync', () => {
  test('succeeds with zeros when nothing was pushed', async () => {
    const job = await synced(manager);
    expect(job).toMatchObject({
      status: 'succeeded',
      source: 'pushed',
      synced_groups: 0,
      deleted_groups: 0,
      error_message: null,
      counts: { people_read: 0, members_added: 0 },
    });
  });

  test('begins by itself once a source is set', async () => {
    await putSource(manager, source);
    const job = await eventually('the scheduled job', async () => {
      const response = await manager.call('GET', '/scim/sync-jobs');
      const { data } = (await response.json()) as { data: SyncJobRecord[] };
      return data.find(({ trigger, status }) => trigger === 'schedule' && status === 'succeeded');
    });
    expect(job).toMatchObject({ is_full: true, counts: { people_read: 250, members_added: 250 } });
    const shown = (await (await manager.call('GET', '/scim/source')).json()) as { data: object };
    expect(shown.data).toMatchObject({ managed_people: 250, last_sync_job: { id: job.id } });
    expect((await auditRows(gateway, `scim/sync-jobs/${job.id}`)).map(({ action }) => action)).toEqual([
      'syncJobSucceeded',
    ]);
  });

  test('leaves no names, addresses or tokens in the history and the log', async () => {
    await synced(manager);
    const workflowId = directoryWorkflowId(gateway.organizationId);
    const events = await historyOf(gateway, workflowId);
    const texts = [historyText(events), await shownText(gateway, workflowId), logged.join('\n')];
    for (const text of texts)
      for (const needle of [source.token, 'user-1@example.com', 'Engineers', source.baseUrl])
        expect(text).not.toContain(needle);
    expect(events.length).toBeLessThan(60);
  });

  test('shows its step, page and counts in Temporal', async () => {
    const [gone] = source.people.splice(9, 1);
    // Without a member nobody is asked for; with one the source has to prove that they are gone.
    const paths = ['/Users', '/Groups', `/Users/${gone!.id}`];
    const released = new Set<string>();
    source.fault = (call) => paths.includes(call.path) && !released.has(call.path);
    await (await manager.call('POST', '/scim/sync-jobs')).text();
    const workflowId = directoryWorkflowId(gateway.organizationId);
    const words = (text: string): Promise<unknown> =>
      eventually(
        text,
        async () => {
          const shown = await shownText(gateway, workflowId).catch(() => '');
          return shown.includes(text) ? true : undefined;
        },
        30_000,
      );
    const progress = async (): Promise<object> => {
      const response = await manager.call('GET', '/scim/sync-jobs?limit=1');
      return ((await response.json()) as { data: SyncJobRecord[] }).data[0]!.progress;
    };
    const goOnFrom = async (path: string): Promise<void> => {
      released.add(path);
      // A call that is held is not answered any more: the worker makes another one.
      await gateway.stopWorker();
      await gateway.startWorker(faults.interceptors);
    };
    await words('Reads the source.');
    await goOnFrom('/Users');
    await words('Goes on reading groups: page 1. People: 249. Groups: 0.');
    expect(await progress()).toMatchObject({ step: 'reading groups', page: 0, people: 249 });
    await goOnFrom('/Groups');
    await words('Goes on asking for missing people. People: 249. Groups: 1.');
    expect(await progress()).toMatchObject({ step: 'asking for missing people', page: 1, groups: 1 });
    await goOnFrom(paths[2]!);
    expect(await syncEnded(manager)).toMatchObject({
      status: 'succeeded',
      counts: { members_removed: 1 },
      progress: { step: 'applying' },
    });
    source.fault = undefined;
    source.people.push(gone!);
    expect(await synced(manager)).toMatchObject({ counts: { members_added: 1 } });
  });

  test.each([
    'claimSync',
    'readDirectorySource',
    'compareDirectory',
    'applyDirectory',
    'finishSync',
  ] as const)('has one effect when %s fails before and after its work', async (activity) => {
    source.people.push({ id: `new-${activity}`, userName: `${activity}@example.com` });
    source.people.splice(0, 1);
    faults.fail(activity, 'before', 'after', 'after');
    const job = await synced(manager);
    expect(job.status).toBe('succeeded');
    expect(job.counts).toMatchObject({ people_read: 250, members_added: 1, members_removed: 1 });
    expect(await stagedRows(gateway)).toBe(0);
  });

  test("reports a dry run as succeeded when the comparison's response is lost", async () => {
    faults.fail('compareDirectory', 'after');
    expect(await synced(manager, '?dry_run=true')).toMatchObject({ status: 'succeeded' });
    const workflowId = directoryWorkflowId(gateway.organizationId);
    expect(await gateway.temporal.workflow.getHandle(workflowId).result()).toEqual({ outcome: 'succeeded' });
  });

  test("fails with guard_deletions when the comparison's response is lost", async () => {
    const people = source.people.splice(0, 100);
    faults.fail('compareDirectory', 'after');
    expect(await synced(manager)).toMatchObject({ status: 'failed', error_reason: 'guard_deletions' });
    const workflowId = directoryWorkflowId(gateway.organizationId);
    expect(await gateway.temporal.workflow.getHandle(workflowId).result()).toEqual({ outcome: 'failed' });
    source.people.unshift(...people);
  });

  test.each(['readDirectorySource', 'compareDirectory', 'applyDirectory'] as const)(
    'ends as failed when %s fails for good',
    async (activity) => {
      faults.fail(activity, 'for-good');
      const job = await synced(manager);
      expect(job).toMatchObject({
        status: 'failed',
        error_reason: 'internal',
        error_message: 'The sync failed because of an error in the gateway.',
        synced_groups: null,
      });
      expect(await runClosed(gateway, directoryWorkflowId(gateway.organizationId))).toBe('COMPLETED');
      expect(await stagedRows(gateway)).toBe(0);
    },
  );

  test('ends its job as failed when it is cancelled during a read', async () => {
    source.calls.length = 0;
    source.fault = (call) => call.path === '/Groups';
    await (await manager.call('POST', '/scim/sync-jobs')).text();
    const workflowId = directoryWorkflowId(gateway.organizationId);
    await eventually('the call', async () => (source.calls.at(-1)?.path === '/Groups' ? true : undefined));
    await gateway.temporal.workflow.getHandle(workflowId).cancel();
    expect(await syncEnded(manager)).toMatchObject({ status: 'failed', error_reason: 'internal' });
    source.fault = undefined;
    expect(await stagedRows(gateway)).toBe(0);
    await runClosed(gateway, workflowId);
  });

  test('ends its job as failed when it is cancelled before a worker takes it', async () => {
    faults.fail('claimSync', 'before', 'before', 'before', 'before');
    await (await manager.call('POST', '/scim/sync-jobs')).text();
    await eventually('the first attempt', async () => (faults.attempts('claimSync') > 0 ? true : undefined));
    await gateway.temporal.workflow.getHandle(directoryWorkflowId(gateway.organizationId)).cancel();
    expect(await syncEnded(manager)).toMatchObject({ status: 'failed', error_reason: 'internal' });
  });
});
