import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import {
  deleteDestination,
  draftOf,
  getDestination,
  makeDestination,
  postDestination,
  updateDestination,
} from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makeWorkspace, updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let manager: Caller;
let made = 0;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

async function newPlace(settings: object = {}): Promise<{ workspace_id: string }> {
  made += 1;
  return { workspace_id: (await makeWorkspace(manager, `logged-${made}`, settings)).id };
}

interface Position {
  shard: number;
  pos: string;
  moved_at: Date;
}

type Head = Position & { is_logged: boolean; logged_since: Date };

async function headsOf({ workspace_id: id }: { workspace_id: string }): Promise<Head[]> {
  const { rows } = await gateway.database.query<Head>(
    'select * from broadcast_heads where workspace_id = $1 order by shard',
    [id],
  );
  return rows;
}

async function cursorsOf(id: string): Promise<Position[]> {
  const { rows } = await gateway.database.query<Position>(
    'select shard, pos, moved_at from broadcast_cursors where destination_id = $1 order by shard',
    [id],
  );
  return rows;
}

async function isLogged(place: { workspace_id: string }): Promise<boolean> {
  const heads = await headsOf(place);
  expect(heads).toHaveLength(16);
  const values = new Set(heads.map((head) => head.is_logged));
  expect(values.size).toBe(1);
  return values.has(true);
}

/** What the ledger does when it records generations. */
async function advance({ workspace_id: id }: { workspace_id: string }, by: number): Promise<void> {
  await gateway.database.query(
    'update broadcast_heads set pos = pos + $2, moved_at = clock_timestamp() where workspace_id = $1',
    [id, by],
  );
}

const positions = (rows: Position[]) => rows.map(({ shard, pos, moved_at }) => ({ shard, pos, moved_at }));

describe('the log of a workspace', () => {
  test('begins with the first destination, and ends with the deletion of the last', async () => {
    const place = await newPlace();
    expect(await headsOf(place)).toEqual([]);
    const before = new Date();
    const first = await makeDestination(manager, { ...place, enabled: false });
    expect(await isLogged(place)).toBe(true);
    for (const head of await headsOf(place)) {
      expect(head.pos).toBe('0');
      expect(head.logged_since.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1);
      expect(head.moved_at).toEqual(head.logged_since);
    }
    const heads = await headsOf(place);
    const second = await makeDestination(manager, place);
    expect(await headsOf(place)).toEqual(heads);
    await deleteDestination(manager, first.id);
    expect(await isLogged(place)).toBe(true);
    await deleteDestination(manager, second.id);
    expect(await isLogged(place)).toBe(false);
    expect(await cursorsOf(second.id)).toEqual([]);
  });

  test("pauses while the workspace's switch is off, and its heads never go back", async () => {
    const place = await newPlace({ is_observability_broadcast_enabled: false });
    const turn = (on: boolean) =>
      updateWorkspace(manager, place.workspace_id, { is_observability_broadcast_enabled: on });
    await makeDestination(manager, place);
    expect(await isLogged(place)).toBe(false);
    await turn(true);
    expect(await isLogged(place)).toBe(true);
    await advance(place, 3);
    const later = new Date(Date.now() + 60_000);
    await gateway.database.query(
      'update broadcast_heads set moved_at = $2 where workspace_id = $1 and shard = 5',
      [place.workspace_id, later],
    );
    const before = await headsOf(place);
    await turn(false);
    expect(await isLogged(place)).toBe(false);
    await turn(false);
    await turn(true);
    expect(await isLogged(place)).toBe(true);
    for (const [index, head] of (await headsOf(place)).entries()) {
      expect(head.pos).toBe('3');
      expect(head.logged_since > before[index]!.logged_since).toBe(true);
      if (index === 5) expect(head.moved_at).toEqual(later);
      else expect(head.moved_at).toEqual(head.logged_since);
    }
    await updateWorkspace(manager, place.workspace_id, { name: 'Another name' });
    expect(await isLogged(place)).toBe(true);
  });

  test('ends with the workspace, whose destinations are deleted', async () => {
    const place = await newPlace();
    const { id } = await makeDestination(manager, place);
    expect((await manager.call('DELETE', `/workspaces/${place.workspace_id}`)).status).toBe(200);
    expect((await manager.call('GET', `/observability/destinations/${id}`)).status).toBe(404);
    expect(await isLogged(place)).toBe(false);
    expect((await auditRows(gateway, `observability/destinations/${id}`)).at(-1)).toMatchObject({
      action: 'deleteObservabilityDestination',
    });
    expect((await postDestination(manager, draftOf('webhook', place))).status).toBe(400);
  });

  test('keeps no destination that is made while the workspace is deleted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const place = await newPlace();
      const [, deleted] = await Promise.all([
        postDestination(manager, draftOf('webhook', place)),
        manager.call('DELETE', `/workspaces/${place.workspace_id}`),
      ]);
      expect(deleted.status).toBe(200);
      const { rowCount } = await gateway.database.query(
        'select from observability_destinations where workspace_id = $1',
        [place.workspace_id],
      );
      expect(rowCount).toBe(0);
    }
  });
});

describe('the delivery of a destination', () => {
  test('begins at the present position of each shard', async () => {
    const place = await newPlace();
    await makeDestination(manager, place);
    await advance(place, 7);
    const second = await makeDestination(manager, place);
    expect(positions(await cursorsOf(second.id))).toEqual(positions(await headsOf(place)));
    expect(second.delivery).toMatchObject({ backlog: 0, oldest_age_seconds: null });
  });

  test('continues at its cursor after the destination was disabled and enabled', async () => {
    const place = await newPlace();
    const { id } = await makeDestination(manager, place);
    const before = await cursorsOf(id);
    await updateDestination(manager, id, { enabled: false });
    await advance(place, 2);
    await updateDestination(manager, id, { enabled: true });
    expect(await cursorsOf(id)).toEqual(before);
    expect((await getDestination(manager, id)).delivery['backlog']).toBe(32);
  });

  test('shows its state, reason, counts, backlog and oldest age', async () => {
    const place = await newPlace();
    const { id } = await makeDestination(manager, place);
    await advance(place, 1);
    await gateway.database.query(
      `update broadcast_progress set state = 'backing_off', reason = 'The tool answered 503',
         next_attempt_at = '2026-01-01T00:00:00Z', delivered = 1, rejected = 2, without_content = 3, undecided = 6, given_up = 4,
         dead_letters = 5 where destination_id = $1`,
      [id],
    );
    await gateway.database.query(
      `update broadcast_cursors set moved_at = now() - interval '2 hours' where destination_id = $1 and shard = 3`,
      [id],
    );
    // The row that it waits for is younger than the last one that it sent.
    await gateway.database.query(`select ensure_broadcast_partition(now() - interval '90 seconds')`);
    await gateway.database.query(
      `insert into broadcast_log (workspace_id, shard, pos, moved_at, created_at, generation_id)
       select workspace_id, shard, pos, now() - interval '90 seconds', now(), 'gen-1'
       from broadcast_heads where workspace_id = $1 and shard = 3`,
      [place.workspace_id],
    );
    const { delivery } = await getDestination(manager, id);
    expect(delivery).toEqual({
      state: 'backing_off',
      reason: 'The tool answered 503',
      next_attempt_at: '2026-01-01T00:00:00.000Z',
      backlog: 16,
      oldest_age_seconds: expect.any(Number),
      delivered: 1,
      rejected: 2,
      without_content: 3,
      undecided: 6,
      given_up: 4,
      dead_letters: 5,
    });
    expect(delivery['oldest_age_seconds']).toBeGreaterThanOrEqual(90);
    expect(delivery['oldest_age_seconds']).toBeLessThan(120);
  });

  test('begins again when a destination is enabled that failures had disabled', async () => {
    const { id } = await makeDestination(manager, await newPlace());
    const setState = (state: string) =>
      gateway.database.query(
        `update broadcast_progress set state = $2, reason = 'It failed', failing_since = now(), failures = 9,
           batch_failures = 9 where destination_id = $1`,
        [id, state],
      );
    await setState('disabled');
    expect((await updateDestination(manager, id, { name: 'Another' })).delivery['state']).toBe('disabled');
    const enabled = await updateDestination(manager, id, { enabled: true });
    expect(enabled.delivery).toMatchObject({ state: 'idle', reason: null });
    const { rows } = await gateway.database.query(
      'select failing_since, failures, batch_failures from broadcast_progress where destination_id = $1',
      [id],
    );
    expect(rows).toEqual([{ failing_since: null, failures: 0, batch_failures: 0 }]);
    await setState('needs_attention');
    const paused = await updateDestination(manager, id, { enabled: true });
    expect(paused.delivery).toMatchObject({ state: 'needs_attention', reason: 'It failed' });
  });
});
