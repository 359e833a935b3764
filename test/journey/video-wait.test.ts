import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { API_TIMES } from '../../api/api-times.ts';
import { createLiveMemory, type LiveMemory } from '../../api/live-memory.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createVideoJobStore } from '../../db/videos/video-job-store.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { createLogger } from '../../platform/logger.ts';
import { createOutboundGuard } from '../../platform/outbound-guard.ts';
import { principals } from '../api/support/fake-services.ts';
import { type ServedApi, serveApi } from '../api/support/serve-api.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getJob, submit, type WireJob } from '../support/jobs.ts';
import { type Replica, startDeafReplica, startReplica } from '../support/replica.ts';
import { unknownKeysOver } from '../support/unknown-keys.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const agent = new Agent({ keepAlive: false });

interface Waiting {
  /** Resolves when the request has left. */
  sent: Promise<unknown>;
  answer: Promise<WireJob>;
  leave(): void;
}

/** Asks for the job, and waits 25 seconds for a change of its status. */
function waitAt(origin: string, jobId: string): Waiting {
  const { promise, resolve, reject } = Promise.withResolvers<WireJob>();
  const read = async (response: IncomingMessage): Promise<void> => {
    const body = Buffer.concat(await response.toArray()).toString();
    if (response.statusCode === 200) resolve(JSON.parse(body) as WireJob);
    else reject(new Error(`${response.statusCode}: ${body}`));
  };
  const request = get(
    `${origin}/api/v1/videos/${jobId}?wait=25`,
    { agent, headers: { authorization: `Bearer ${gateway.apiKey}` } },
    (response) => void read(response).catch(reject),
  );
  request.on('error', reject);
  return { sent: once(request, 'finish'), answer: promise, leave: () => void request.destroy() };
}

/** A later request to the same process has been answered, so the earlier ones have read their job and wait. */
async function untilWaiting(origin: string, jobId: string): Promise<void> {
  for (let n = 0; n < 3; n += 1) await getJob(createCaller(origin, gateway.apiKey), jobId);
}

async function setStatus(jobId: string, status: string): Promise<void> {
  await gateway.database.query('update video_jobs set status = $2 where id = $1', [jobId, status]);
}

async function statesOf(applicationName: string): Promise<string[]> {
  const { rows } = await gateway.database.query<{ state: string }>(
    'select state from pg_stat_activity where datname = current_database() and application_name = $1',
    [applicationName],
  );
  return rows.map(({ state }) => state);
}

describe('a caller who waits for a job', () => {
  let deaf: Replica;
  beforeAll(async () => {
    deaf = await startDeafReplica(gateway);
  });
  afterAll(() => deaf.close());

  test.each([
    ['by a notice', () => gateway.origin],
    ['although no notice arrives', () => deaf.origin],
  ])('hears of a changed status %s', async (_how, origin) => {
    const { id } = await submit(gateway);
    const waiting = waitAt(origin(), id);
    await waiting.sent;
    await untilWaiting(origin(), id);
    await setStatus(id, 'in_progress');
    expect(await waiting.answer).toMatchObject({ id, status: 'in_progress' });
  });

  test('gets no answer for progress or a change that is rolled back', async () => {
    const { id } = await submit(gateway);
    const waiting = waitAt(gateway.origin, id);
    await waiting.sent;
    await untilWaiting(gateway.origin, id);
    const client = await gateway.database.connect();
    await client.query('begin');
    await client.query(`update video_jobs set status = 'in_progress' where id = $1`, [id]);
    await client.query('rollback');
    client.release();
    await gateway.database.query('update video_jobs set progress_percent = 50 where id = $1', [id]);
    const other = await submit(gateway);
    const otherWaiting = waitAt(gateway.origin, other.id);
    await otherWaiting.sent;
    await untilWaiting(gateway.origin, other.id);
    await setStatus(other.id, 'in_progress');
    // Its notice came behind all that the first caller might have been told.
    await otherWaiting.answer;
    expect(await Promise.race([waiting.answer, Promise.resolve('still waiting')])).toBe('still waiting');
    await setStatus(id, 'in_progress');
    expect(await waiting.answer).toMatchObject({ status: 'in_progress', progress: 50 });
  });

  test('gets the unchanged status after a second', async () => {
    const { id } = await submit(gateway);
    const response = await createCaller(gateway.origin, gateway.apiKey).call('GET', `/videos/${id}?wait=1`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([200, '1']);
    expect(await response.json()).toMatchObject({ status: 'pending' });
  });

  test('gets a change made while the listening connection was lost', async () => {
    const { id } = await submit(gateway);
    const waiting = waitAt(gateway.origin, id);
    await waiting.sent;
    await untilWaiting(gateway.origin, id);
    await gateway.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'sluice-listener' and datname = current_database()`,
    );
    await setStatus(id, 'in_progress');
    expect(await waiting.answer).toMatchObject({ status: 'in_progress' });
  });
});

test('a process that stops answers waiting callers instead of cutting them off', async () => {
  const replica = await startReplica(gateway, ({ http }) => ({ http: { ...http, shutdownGraceMs: 15_000 } }));
  const { id } = await submit(gateway);
  const waiting = waitAt(replica.origin, id);
  await waiting.sent;
  await untilWaiting(replica.origin, id);
  await replica.close();
  expect(await waiting.answer).toMatchObject({ id, status: 'pending' });
});

describe('three thousand waiting callers', () => {
  const [CALLERS, LEAVERS, TOLD, BATCH] = [3_000, 50, 100, 250];
  let database: Database;
  let memory: LiveMemory;
  let api: ServedApi;
  let called = 0;
  let readings = 0;

  beforeAll(async () => {
    const logger = createLogger({ level: 'fatal', name: 'test' });
    database = createDatabase({ url: gateway.config.database.url, poolMax: 4, applicationName: 'waiting' });
    const { config } = gateway;
    memory = await createLiveMemory({
      config,
      logger,
      knex: database.knex,
      unknownKeys: unknownKeysOver(database.knex),
      guard: createOutboundGuard(config.outbound),
      encryption: createEncryption(config.encryption),
      times: API_TIMES,
    });
    const jobs = createVideoJobStore(database.knex);
    const read = async (jobId: string): Promise<VideoJob> => (await jobs.findUnscoped(jobId))!;
    const readCounted = async (jobId: string): Promise<VideoJob> => {
      const job = await read(jobId);
      readings += 1;
      return job;
    };
    api = await serveApi({
      keys: { verify: async () => principals['regular-key']! },
      videos: {
        get: (_principal, jobId) => read(jobId),
        // Nobody's time is over, however slow the machine is.
        waitForChange: (_principal, jobId, { gone }) =>
          memory.jobWatch.wait(jobId, () => readCounted(jobId), { waitMs: 3_600_000, gone }),
      },
    });
  });
  afterAll(async () => {
    await memory.close();
    await database.close();
  });

  /** In batches, since a server lets only a few hundred callers queue for their connection. */
  async function callInBatches(jobId: string, count: number): Promise<Waiting[]> {
    const callers: Waiting[] = [];
    while (callers.length < count) {
      const batch = Array.from({ length: Math.min(BATCH, count - callers.length) }, () =>
        waitAt(api.origin, jobId),
      );
      await Promise.all(batch.map(({ sent }) => sent));
      called += batch.length;
      // Who has not read the job before it changes would wait for the change after it.
      await eventually('the first reading of each', async () => (readings >= called ? true : undefined));
      callers.push(...batch);
    }
    return callers;
  }

  const endsOf = (callers: Waiting[]): Promise<string[]> =>
    Promise.all(callers.map(({ answer }) => answer.then(({ status }) => status, String)));

  test('hold no Postgres connection, learn of changes, may leave, and get answers at shutdown', async () => {
    const [open, changing] = [(await submit(gateway)).id, (await submit(gateway)).id];
    const callers = await callInBatches(open, CALLERS);
    const ends = endsOf(callers);
    const told = endsOf(await callInBatches(changing, TOLD));
    // The gateway's own and this one.
    expect(await statesOf('sluice-listener')).toHaveLength(2);
    await eventually('connections without a statement under way', async () =>
      (await statesOf('waiting')).every((state) => state === 'idle') ? true : undefined,
    );
    await setStatus(changing, 'in_progress');
    expect(await told).toEqual(Array.from({ length: TOLD }, () => 'in_progress'));

    for (const { leave } of callers.slice(-LEAVERS)) leave();
    memory.jobWatch.stop();
    await api.close(600_000);
    const counts: Record<string, number> = {};
    for (const end of await ends) counts[end] = (counts[end] ?? 0) + 1;
    expect(counts).toEqual({ pending: CALLERS - LEAVERS, 'Error: socket hang up': LEAVERS });
  });
});
