import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { bootstrap } from '../../admin/bootstrap.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { beginFirstSync, stagedRows, syncJobEnded, type SyncJobRecord } from '../support/syncs.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

const PEOPLE = 6_000;
const GROUPS = 20;

let postgres: OwnPostgres;
/** For its settings and its Temporal. Its own API answers nobody here. */
let gateway: Gateway;
let api: ApiProcess;
let manager: Caller;
let source: ScimSource;
let workers: WorkerProcesses;
let database: pg.Pool;
let job: SyncJobRecord;
/** The moments at which Postgres was killed. */
const killedAt: string[] = [];

beforeAll(async () => {
  [postgres, gateway, source] = await Promise.all([
    startOwnPostgres(),
    startGateway({
      times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, unclaimedAfterMs: 2_000, setupIntervalMs: 1_000 },
    }),
    startScimSource(),
  ]);
  source.people = somePeople(PEOPLE);
  source.groups = Array.from({ length: GROUPS }, (_, n) => ({
    id: `g-${n}`,
    displayName: `Group ${n}`,
    members: source.people.filter((_person, place) => place % GROUPS === n).map(({ id }) => id),
  }));
  const { managementKey } = await bootstrap(postgres.url, gateway.config.encryption, {
    organizationName: 'Outages',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  });
  database = new pg.Pool({ connectionString: postgres.url, max: 2 });
  database.on('error', () => {});
  api = await startApiProcess(gateway, { DATABASE_URL: postgres.url });
  manager = createCaller(api.origin, managementKey);
  workers = createWorkerProcesses(gateway);
  const jobId = await beginFirstSync(manager, source);
  await killAtEachStep();
  job = await syncJobEnded(manager, jobId);
}, 400_000);

afterAll(async () => {
  await workers.close();
  await api.kill();
  await database.end();
  await gateway.close();
  await source.close();
  await postgres.close();
});

/** Kills Postgres in the list of people, in the list of groups, and three times while people are applied. */
async function killAtEachStep(): Promise<void> {
  await workers.start([], { DATABASE_URL: postgres.url, WORKER_QUEUES: 'directory,maintenance' });
  await when('a page of people', () => hasAsked('/Users', 2_001));
  await when('the groups', () => hasAsked('/Groups', 1));
  for (const applied of [1, 2_001, 4_001]) {
    await when('people who are applied', async () => {
      const { rows } = await database.query<{ applied: number | null }>(
        `select (progress ->> 'applied')::int applied from directory_jobs`,
      );
      return (rows[0]?.applied ?? 0) >= applied;
    });
  }
}

function hasAsked(list: string, startIndex: number): boolean {
  return source.calls.some(
    ({ path, query }) => path === list && Number(query.get('startIndex')) >= startIndex,
  );
}

async function when(what: string, isThere: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(what, async () => ((await isThere()) ? true : undefined));
  killedAt.push(what);
  await postgres.kill();
  await postgres.restart();
}

describe('a sync during which Postgres is killed five times', () => {
  test('succeeds, with every person added once', async () => {
    expect(killedAt).toHaveLength(5);
    expect(job).toMatchObject({
      status: 'succeeded',
      synced_groups: GROUPS,
      counts: { people_read: PEOPLE, groups_read: GROUPS, members_added: PEOPLE },
    });
    const { rows } = await database.query(
      `select (select count(*) from directory_people)::int people,
         (select count(*) from organization_members m join directory_people p using (user_id))::int members,
         (select count(*) from directory_group_members where person_id is not null)::int in_groups,
         (select count(*) from directory_changes where kind = 'organization_member')::int lines`,
    );
    expect(rows).toEqual([{ people: PEOPLE, members: PEOPLE, in_groups: PEOPLE, lines: PEOPLE }]);
  });

  test('leaves no staged rows', async () => {
    expect(await stagedRows({ database })).toBe(0);
  });
});
