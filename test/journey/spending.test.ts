import { describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import { addCredit, addKey, addOrganization, type IssuedKey, type Place } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { type Replica, useReplica } from '../support/replica.ts';

/** One job of the canned model costs a cent. */
const CENT = { model: 'local/clip-canned', prompt: 'a test' };
const withFault = (fault: object) => ({ ...CENT, provider: { options: { local: { faults: [fault] } } } });
const OUT_OF_CREDIT = {
  code: 402,
  message: 'Insufficient credits. Add credits at https://pay.example/credits',
  metadata: { reason: 'insufficient_credits', retryable: false },
};
const OVER_LIMIT = {
  code: 402,
  message: 'Key limit exceeded',
  metadata: { reason: 'key_limit_exceeded', retryable: false },
};

let gateway: Gateway;
let second: Replica;

useReplica((...opened) => ([gateway, second] = opened), {
  worker: ['video'],
  env: { CREDITS_URL: 'https://pay.example/credits' },
});

function post(by: Caller, body: object = CENT, headers: Record<string, string> = {}): Promise<Response> {
  return by.call('POST', '/videos', { body, headers });
}

/** An organization that pays in advance, and a key of it. */
async function payingCustomer(usd?: string): Promise<{ place: Place; caller: Caller }> {
  const place = await addOrganization(gateway, { creditEnforcement: true });
  if (usd !== undefined) await addCredit(gateway, usd, place.organizationId);
  return { place, caller: callerOf(await addKey(gateway, place)) };
}

function callerOf({ token }: IssuedKey): Caller {
  return createCaller(gateway.origin, token);
}

async function keyInfo(caller: Caller): Promise<{ limit_remaining: number | null; usage: number }> {
  const answer = (await (await caller.call('GET', '/key')).json()) as {
    data: { limit_remaining: number | null; usage: number };
  };
  return answer.data;
}

async function countJobs({ organizationId }: Place): Promise<number> {
  const { rows } = await gateway.database.query<{ n: string }>(
    'select count(*) n from video_jobs where organization_id = $1',
    [organizationId],
  );
  return Number(rows[0]?.n);
}

describe('an organization whose credit is enforced', () => {
  test('gets 402 with the page to buy credit until it has enough', async () => {
    const { place, caller } = await payingCustomer();
    expect(await errorOf(await post(caller))).toEqual(OUT_OF_CREDIT);
    await addCredit(gateway, '0.009999999', place.organizationId);
    expect(await errorOf(await post(caller))).toEqual(OUT_OF_CREDIT);
    expect(await countJobs(place)).toBe(0);
    await addCredit(gateway, '0.000000001', place.organizationId);
    expect((await post(caller)).status).toBe(202);
  });

  test('spends its last cent once when two replicas get requests at once', async () => {
    const place = await addOrganization(gateway, { creditEnforcement: true });
    await addCredit(gateway, '0.01', place.organizationId);
    const { token } = await addKey(gateway, place);
    const callers = [gateway.origin, second.origin].map((origin) => createCaller(origin, token));
    const responses = await Promise.all([...callers, ...callers, ...callers].map((by) => post(by)));
    const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([202, 402, 402, 402, 402, 402]);
    expect(await countJobs(place)).toBe(1);
  });

  test('gets no 402 for a simultaneous retry with the same Idempotency-Key', async () => {
    const { place, caller } = await payingCustomer('0.01');
    const headers = { 'idempotency-key': 'the last cent' };
    const responses = await Promise.all([1, 2, 3, 4].map(() => post(caller, CENT, headers)));
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].filter((status) => ![202, 409].includes(status))).toEqual([]);
    expect(await countJobs(place)).toBe(1);
    expect((await post(caller, CENT, headers)).headers.get('idempotent-replayed')).toBe('true');
  });

  test('gets its credit back when a job fails, and a refused Idempotency-Key can be reused', async () => {
    const { caller } = await payingCustomer('0.01');
    const headers = { 'idempotency-key': 'again' };
    const failing = await submit(caller, withFault({ kind: 'fail' }));
    expect(await errorOf(await post(caller, CENT, headers))).toEqual(OUT_OF_CREDIT);
    expect(await ended(caller, failing.id)).toMatchObject({ status: 'failed' });
    expect((await post(caller, CENT, headers)).status).toBe(202);
  });

  test('pays for a completed job once', async () => {
    const { caller } = await payingCustomer('0.02');
    expect(await ended(caller, (await submit(caller)).id)).toMatchObject({ usage: { cost: 0.01 } });
    expect((await post(caller)).status).toBe(202);
    expect(await errorOf(await post(caller))).toEqual(OUT_OF_CREDIT);
  });

  test('does not affect an organization without enforcement', async () => {
    const caller = callerOf(await addKey(gateway, await addOrganization(gateway)));
    expect((await post(caller)).status).toBe(202);
  });
});

describe('a workspace with a budget', () => {
  const setBudget = (place: Place, usd: string): Promise<unknown> =>
    gateway.database.query(
      `insert into workspace_budgets (id, workspace_id, interval, limit_nanos)
       values (gen_random_uuid(), $1, 'daily', $2)`,
      [place.workspaceId, parseUsd(usd).toString()],
    );

  test('refuses the job that would exceed the budget, counting open jobs of all its keys', async () => {
    const place = await addOrganization(gateway);
    await setBudget(place, '0.01');
    const [first, other] = [callerOf(await addKey(gateway, place)), callerOf(await addKey(gateway, place))];
    const stalled = await submit(first, withFault({ kind: 'stall' }));
    expect(await errorOf(await post(other))).toEqual({
      code: 402,
      message: 'Workspace budget exceeded',
      metadata: { reason: 'budget_exceeded', retryable: false },
    });
    await first.call('POST', `/videos/${stalled.id}/cancel`);
    await ended(first, stalled.id);
    await ended(other, (await submit(other)).id);
    expect(await errorOf(await post(first))).toMatchObject({ code: 402 });
    expect(await countJobs(place)).toBe(2);
  });
});

describe('a key with a limit', () => {
  const limited = (usd: string, limitReset?: 'daily' | 'weekly' | 'monthly'): Promise<IssuedKey> =>
    addKey(gateway, { limitNanos: parseUsd(usd), ...(limitReset === undefined ? {} : { limitReset }) });

  test('counts open jobs and gives back what they did not cost', async () => {
    const caller = callerOf(await limited('0.02'));
    const stalled = await submit(caller, withFault({ kind: 'stall' }));
    expect(await keyInfo(caller)).toMatchObject({ limit_remaining: 0.01, usage: 0 });
    await ended(caller, (await submit(caller)).id);
    expect(await keyInfo(caller)).toMatchObject({ limit_remaining: 0, usage: 0.01 });
    expect(await errorOf(await post(caller))).toEqual(OVER_LIMIT);

    await caller.call('POST', `/videos/${stalled.id}/cancel`);
    expect(await ended(caller, stalled.id)).toMatchObject({ status: 'cancelled' });
    expect(await keyInfo(caller)).toMatchObject({ limit_remaining: 0.01, usage: 0.01 });
    expect((await post(caller)).status).toBe(202);
    expect(await errorOf(await post(caller))).toEqual(OVER_LIMIT);
  });

  test('accepts one of two simultaneous requests when only one fits', async () => {
    const caller = callerOf(await limited('0.01'));
    const responses = await Promise.all([post(caller), post(caller)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 402]);
  });

  test('refuses everything that costs when the limit is zero', async () => {
    expect(await errorOf(await post(callerOf(await limited('0'))))).toEqual(OVER_LIMIT);
  });

  test.each([
    ['daily', `settled_on - 1`],
    ['weekly', `settled_on - 7`],
    ['monthly', `(date_trunc('month', settled_on) - interval '1 day')::date`],
  ] as const)('accepts jobs again in the next period when it resets %s', async (reset, earlier) => {
    const key = await limited('0.01', reset);
    const caller = callerOf(key);
    await ended(caller, (await submit(caller)).id);
    expect(await errorOf(await post(caller))).toEqual(OVER_LIMIT);
    await gateway.database.query(`update key_usage set settled_on = ${earlier} where key_id = $1`, [
      key.keyId,
    ]);
    expect(await keyInfo(caller)).toMatchObject({ limit_remaining: 0.01, usage: 0.01 });
    expect((await post(caller)).status).toBe(202);
  });

  test('refuses jobs in later periods when it never resets', async () => {
    const key = await limited('0.01');
    const caller = callerOf(key);
    await ended(caller, (await submit(caller)).id);
    await gateway.database.query(`update key_usage set settled_on = '2020-01-01' where key_id = $1`, [
      key.keyId,
    ]);
    expect(await errorOf(await post(caller))).toEqual(OVER_LIMIT);
  });
});

test('a job that has ended reserves nothing, in any final status', async () => {
  const key = await addKey(gateway, { limitNanos: parseUsd('1') });
  const caller = callerOf(key);
  const faults = [{ kind: 'fail' }, { kind: 'expire' }, { kind: 'cancel' }, { kind: 'slow', ms: 1 }];
  const jobs = await Promise.all(faults.map((fault) => submit(caller, withFault(fault))));
  const ends: WireJob[] = await Promise.all(jobs.map(({ id }) => ended(caller, id)));
  expect(ends.map(({ status }) => status)).toEqual(['failed', 'expired', 'cancelled', 'completed']);
  expect(await keyInfo(caller)).toMatchObject({ limit_remaining: 0.99, usage: 0.01 });
});
