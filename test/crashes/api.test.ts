import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SilentServer, startSilentServer } from '../support/silent-server.ts';

/** An API process that is killed by SIGKILL; another one, a worker and the sweep go on. */
let gateway: Gateway;
let receiver: Receiver;
let temporal: SilentServer;
let doomed: ApiProcess;

beforeAll(async () => {
  receiver = await startReceiver();
  temporal = await startSilentServer();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
});

afterAll(async () => {
  await gateway.close();
  await temporal.close();
  await receiver.close();
});

/** A request unlike any other here, which its client may repeat as it is. */
function request(user: string): [object, Record<string, string>] {
  return [{ user, callback_url: receiver.url }, { 'idempotency-key': user }];
}

async function jobsWith(user: string): Promise<string[]> {
  const { rows } = await gateway.database.query<{ id: string }>(
    `select id from video_jobs where request_facts ->> 'user' = $1`,
    [user],
  );
  return rows.map(({ id }) => id);
}

describe('an API process that is killed', () => {
  /** Its transactions hold what the API's transaction waits for. */
  let holder: pg.Client;

  beforeEach(async () => {
    doomed = await startApiProcess(gateway, { TEMPORAL_ADDRESS: temporal.address });
    holder = new pg.Client({ connectionString: gateway.env['DATABASE_URL'] });
    await holder.connect();
  });

  afterEach(async () => {
    await doomed.kill();
    await holder.end();
  });

  /** Sends the request, and kills the API once its transaction waits for the holder. */
  async function killDuring(body: object, headers: Record<string, string>): Promise<void> {
    const answer = submit(createCaller(doomed.origin, gateway.apiKey), body, headers).then(
      () => 'answered',
      () => 'no answer',
    );
    await eventually('the transaction that waits', waiting);
    await doomed.kill();
    expect(await answer).toBe('no answer');
  }

  async function waiting(): Promise<true | undefined> {
    const { rows } = await gateway.database.query(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'sluice-api' and wait_event_type = 'Lock'`,
    );
    return rows.length > 0 ? true : undefined;
  }

  test('leaves a committed job that the sweep starts, and which completes once', async () => {
    const { id } = await submit(createCaller(doomed.origin, gateway.apiKey), ...request('committed'));
    await eventually('the start that hangs', async () => temporal.connections() || undefined);
    await doomed.kill();
    await expectCompletedOnce(gateway, receiver, id);
  });

  test('leaves no job before the commit, and a retry creates the one job', async () => {
    await holder.query('begin; lock table video_jobs in share mode');
    await killDuring(...request('uncommitted'));
    const again = submit(gateway, ...request('uncommitted'));
    await holder.query('rollback');
    const { id } = await again;
    expect((await submit(gateway, ...request('uncommitted'))).id).toBe(id);
    expect(await jobsWith('uncommitted')).toEqual([id]);
    await expectCompletedOnce(gateway, receiver, id);
  });

  test('leaves one job during the commit, and a retry returns its id', async () => {
    await holder.query(
      `create function wait_at_commit() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
       create constraint trigger wait_at_commit after insert on video_jobs deferrable initially deferred
         for each row execute function wait_at_commit();
       select pg_advisory_lock(1)`,
    );
    await killDuring(...request('committing'));
    await holder.query('select pg_advisory_unlock(1); drop function wait_at_commit cascade');
    const [id] = await jobsWith('committing');
    expect((await submit(gateway, ...request('committing'))).id).toBe(id);
    expect(await jobsWith('committing')).toEqual([id]);
    await expectCompletedOnce(gateway, receiver, id!);
  });
});

test('the counters agree with the ledger after all kills, and nothing is reserved', async () => {
  await expectBalancedBooks(gateway);
});
