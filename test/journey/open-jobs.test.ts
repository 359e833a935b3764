import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';

let gateway: Gateway;
/** Regular keys of an organization without limits, and with a limit of money. */
let callers: { unlimited: Caller; limited: Caller };

beforeAll(async () => {
  gateway = await startGateway({
    worker: ['video'],
    env: { MAX_OPEN_JOBS: '3', MAX_OPEN_JOBS_SIZE: '128MiB' },
  });
});

beforeEach(async () => {
  const place = await addOrganization(gateway);
  const [unlimited, limited] = await Promise.all([
    addKey(gateway, place),
    addKey(gateway, { ...place, limitNanos: 1_000_000_000_000n }),
  ]);
  callers = {
    unlimited: createCaller(gateway.origin, unlimited.token),
    limited: createCaller(gateway.origin, limited.token),
  };
});

afterAll(() => gateway.close());

const STALLS = { provider: { options: { local: { faults: [{ kind: 'stall' }] } } } };
const BODY = { model: 'local/clip-canned', prompt: 'a test' };

function post(caller: Caller, headers: Record<string, string> = {}): Promise<Response> {
  return caller.call('POST', '/videos', { body: BODY, headers });
}

describe.each(['unlimited', 'limited'] as const)('a key with %s money', (kind) => {
  test("gets 429 too_many_open_jobs beyond its organization's three open jobs", async () => {
    const caller = callers[kind];
    const jobs = [];
    for (let n = 0; n < 3; n += 1) jobs.push(await submit(caller, STALLS));
    const response = await post(caller);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('10');
    expect(await errorOf(response)).toMatchObject({
      message: 'Rate limit exceeded',
      metadata: {
        reason: 'too_many_open_jobs',
        retryable: true,
        issues: [{ path: 'body', message: expect.stringContaining('3 jobs') }],
      },
    });
    expect((await post(callers[kind === 'limited' ? 'unlimited' : 'limited'])).status).toBe(429);

    await caller.call('POST', `/videos/${jobs[0]!.id}/cancel`);
    await ended(caller, jobs[0]!.id);
    expect((await post(caller)).status).toBe(202);
  });

  test('exceeds the limit at most by the jobs that are checked at the same moment', async () => {
    const body = { ...BODY, ...STALLS };
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => callers[kind].call('POST', '/videos', { body })),
    );
    const statuses = responses.map(({ status }) => status);
    const accepted = statuses.filter((status) => status === 202).length;
    expect(new Set(statuses)).toEqual(new Set([202, 429]));
    expect(accepted).toBeGreaterThanOrEqual(3);
    // Each check and the insert after it hold a connection of the API. The one that reaches the limit is among them.
    expect(accepted).toBeLessThan(3 + gateway.config.database.poolMax);
    expect((await post(callers[kind])).status).toBe(429);
  });

  test("gets 429 when the open jobs' requests reach their greatest size", async () => {
    const caller = callers[kind];
    const { id } = await submit(caller, STALLS);
    const most = 128 * 1024 ** 2;
    await gateway.database.query('update video_jobs set request_bytes = $1 where id = $2', [most - 10, id]);
    const response = await post(caller);
    expect(response.status).toBe(429);
    expect((await errorOf(response)).metadata.reason).toBe('too_many_bytes_of_open_jobs');
    expect((await post(createCaller(gateway.origin, gateway.apiKey))).status).toBe(202);
  });

  test('replays the answer of an accepted job while there is no room', async () => {
    const headers = { 'idempotency-key': 'a-key' };
    const caller = callers[kind];
    const first = await post(caller, headers);
    for (let n = 0; n < 3; n += 1) await submit(caller, STALLS).catch(() => undefined);
    const again = await post(caller, headers);
    expect([again.status, await again.json()]).toEqual([202, await first.json()]);
  });
});

test('the recorded size of a request equals the bytes of its stored text', async () => {
  const { id } = await submit(callers.unlimited, { ...STALLS, prompt: 'é'.repeat(100) });
  const { rows } = await gateway.database.query(
    `select request_bytes, octet_length(r.request::text) stored
     from video_jobs join job_requests r on job_id = id where id = $1`,
    [id],
  );
  expect(rows[0].request_bytes).toBe(rows[0].stored);
  expect(rows[0].request_bytes).toBeGreaterThan(200);
});
