import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { directoryWorkflowId } from '../../domain/runs.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { createHeldActivities } from '../support/held-activities.ts';
import { type OwnTemporal, startOwnTemporal } from '../support/own-temporal.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { beginFirstSync, stagedRows, syncJobEnded } from '../support/syncs.ts';

const PEOPLE = 30;
/** No more at once than a worker makes. */
const ROUNDS = [
  ['claimSync', 'readDirectorySource'],
  ['compareDirectory', 'applyDirectory'],
  ['finishSync'],
] as const;
const MEMORIES = ['same', 'empty'] as const;

const held = createHeldActivities();
const organizations = new Map<string, { id: string; manager: Caller; jobId: string }>();

let temporal: OwnTemporal;
let gateway: Gateway;
let source: ScimSource;

beforeAll(async () => {
  source = await startScimSource();
  source.people = somePeople(PEOPLE);
  source.groups = [{ id: 'g-1', displayName: 'Engineers', members: ['id-1', 'id-2'] }];
  temporal = await startOwnTemporal();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    namespace: temporal.namespace,
    interceptors: held.interceptors,
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, unclaimedAfterMs: 2_000, setupIntervalMs: 1_000 },
  });
  for (const memory of MEMORIES) for (const steps of ROUNDS) await killAt(steps, memory);
}, 400_000);

afterAll(async () => {
  await gateway.close();
  await temporal.close();
  await source.close();
});

/** Temporal dies while one sync each waits before and after each of these steps, which go on without it. */
async function killAt(steps: readonly string[], memory: 'same' | 'empty'): Promise<void> {
  for (const step of steps) {
    for (const at of ['before', 'after'] as const) {
      const place = await addOrganization(gateway);
      const { token } = await addKey(gateway, { ...place, kind: 'management' });
      const manager = createCaller(gateway.origin, token);
      held.hold(step, at, directoryWorkflowId(place.organizationId));
      const jobId = await beginFirstSync(manager, source);
      organizations.set(`${at} ${step}, ${memory}`, { id: place.organizationId, manager, jobId });
    }
  }
  await held.reached();
  await temporal.kill();
  held.release();
  await temporal.restart(memory);
}

const CASES = MEMORIES.flatMap((memory) =>
  ROUNDS.flat().flatMap((step) => [`before ${step}, ${memory}`, `after ${step}, ${memory}`]),
);

describe('a sync during which Temporal is killed', () => {
  test.each(CASES)('succeeds, with every person added once (%s)', async (name) => {
    const { id, manager, jobId } = organizations.get(name)!;
    expect(await syncJobEnded(manager, jobId)).toMatchObject({
      status: 'succeeded',
      synced_groups: 1,
      counts: { people_read: PEOPLE, groups_read: 1, members_added: PEOPLE },
    });
    const { rows } = await gateway.database.query(
      `select (select count(*) from organization_members where organization_id = $1)::int members,
         (select count(*) from directory_jobs where organization_id = $1 and trigger = 'request') <= 1 "isOnce"`,
      [id],
    );
    expect(rows).toEqual([{ members: PEOPLE, isOnce: true }]);
  });

  test('leaves no staged rows', async () => {
    expect(await stagedRows(gateway)).toBe(0);
  });
});
