import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { directoryWorkflowId } from '../../domain/runs.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { beginFirstSync, stagedRows, syncJobEnded } from '../support/syncs.ts';
import { createWorkerProcesses, type HoldPoint, type WorkerProcesses } from '../support/worker-processes.ts';

/**
 * Workers killed by SIGKILL before and after each step of a sync, and in the middle of a list; runs that Temporal loses
 * after each step; and connections that Postgres cuts all the time.
 */
const STEPS = [
  'claimSync',
  'readDirectorySource',
  'compareDirectory',
  'applyDirectory',
  'finishSync',
] as const;

interface Organization {
  id: string;
  manager: Caller;
  jobId: string;
}

const PEOPLE = 60;

/** The sweep runs on the last workers only. */
const SWEEP = { WORKER_QUEUES: 'directory,maintenance' };
const TIMES = {
  sweepGraceMs: 1_000,
  sweepIntervalMs: 1_000,
  unclaimedAfterMs: 1_000,
  setupIntervalMs: 1_000,
};
const SYNCS_ONLY = { WORKER_QUEUES: 'directory' };

let gateway: Gateway;
let source: ScimSource;
let workers: WorkerProcesses;
/** The places in the list of people that were asked for after a death in the middle of it. */
let pagesAfterDeath: string[] = [];
const organizations = new Map<string, Organization>();

beforeAll(async () => {
  source = await startScimSource();
  source.people = somePeople(PEOPLE);
  source.groups = [{ id: 'g-1', displayName: 'Engineers', members: ['id-1', 'id-2'] }];
  source.pageSize = 10;
  gateway = await startGateway({ times: TIMES });
  workers = createWorkerProcesses(gateway);
  await dieInList();
  for (const step of STEPS) await dieAt(step);
  await begin('cut connections');
  await workers.start([], SWEEP);
  await cutConnections();
}, 400_000);

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await source.close();
});

/** Begins the first sync of an organization of its own. */
async function begin(name: string): Promise<Organization> {
  const place = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...place, kind: 'management' });
  const manager = createCaller(gateway.origin, token);
  const jobId = await beginFirstSync(manager, source);
  const organization = { id: place.organizationId, manager, jobId };
  organizations.set(name, organization);
  return organization;
}

/**
 * One worker dies with three syncs at this step; Temporal forgets the run of the last, so only the row of its job is
 * left.
 */
async function dieAt(activity: (typeof STEPS)[number]): Promise<void> {
  const ends = {
    [`before ${activity}`]: 'before',
    [`after ${activity}`]: 'after',
    [`lost after ${activity}`]: 'after',
  } as const;
  const held: HoldPoint[] = [];
  for (const [name, at] of Object.entries(ends)) {
    const { id } = await begin(name);
    held.push({ activity, at, workflowId: directoryWorkflowId(id) });
  }
  const doomed = await workers.start(held, SYNCS_ONLY);
  await doomed.reached();
  await doomed.kill();
  await gateway.temporal.workflow.getHandle(held.at(-1)!.workflowId!).terminate();
}

async function dieInList(): Promise<void> {
  let isHeld = false;
  source.fault = (call) => {
    if (isHeld || call.path !== '/Users' || call.query.get('startIndex') !== '31') return false;
    isHeld = true;
    return true;
  };
  const { manager, jobId } = await begin('in a list');
  const doomed = await workers.start([], SYNCS_ONLY);
  await eventually('the page', async () => (isHeld ? true : undefined));
  await doomed.kill();
  source.fault = undefined;
  source.calls.length = 0;
  const again = await workers.start([], SYNCS_ONLY);
  await syncJobEnded(manager, jobId);
  await again.kill();
  pagesAfterDeath = source.calls.flatMap(({ path, query }) =>
    path === '/Users' ? [query.get('startIndex') ?? ''] : [],
  );
}

async function cutConnections(): Promise<void> {
  for (let cuts = 0; cuts < 15; cuts += 1) {
    await gateway.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sluice-directory'`,
    );
    await eventually('an open connection', async () => {
      const { rows } = await gateway.database.query(
        `select from pg_stat_activity where application_name = 'sluice-directory' limit 1`,
      );
      const { rows: open } = await gateway.database.query(
        `select from directory_jobs where state in ('queued', 'running') limit 1`,
      );
      return rows.length > 0 || open.length === 0 ? true : undefined;
    });
  }
}

const CASES = [
  ...STEPS.flatMap((step) => [`before ${step}`, `after ${step}`, `lost after ${step}`]),
  'in a list',
  'cut connections',
];

describe('an interrupted sync', () => {
  test.each(CASES)('succeeds with every person and group: %s', async (name) => {
    const { id, manager, jobId } = organizations.get(name)!;
    expect(await syncJobEnded(manager, jobId)).toMatchObject({
      status: 'succeeded',
      synced_groups: 1,
      counts: { people_read: PEOPLE, groups_read: 1, members_added: PEOPLE },
    });
    const { rows } = await gateway.database.query(
      `select (select count(*) from organization_members where organization_id = $1)::int members,
         (select count(*) from directory_people where organization_id = $1)::int people,
         (select count(*) from directory_group_members m join directory_groups g on g.id = m.group_id
          where g.organization_id = $1 and m.person_id is not null)::int in_group,
         (select count(*) from directory_jobs where organization_id = $1 and trigger = 'request') <= 1 "isOnce"`,
      [id],
    );
    expect(rows).toEqual([{ members: PEOPLE, people: PEOPLE, in_group: 2, isOnce: true }]);
  });

  test('leaves no staged rows', async () => {
    expect(await stagedRows(gateway)).toBe(0);
  });

  test('resumes its list of people at the first page that was not stored', () => {
    expect(pagesAfterDeath).not.toContain('1');
    expect(pagesAfterDeath[0]).toBe('31');
  });
});
