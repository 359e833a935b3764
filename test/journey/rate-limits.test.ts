import { describe, expect, test } from '@jest/globals';
import { runAdmin } from '../support/admin.ts';
import { addKey } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { eventually } from '../support/eventually.ts';
import { type Replica, useReplica } from '../support/replica.ts';

let gateway: Gateway;
let second: Replica;

const env = { RATE_LIMIT_REQUESTS: '3', RATE_LIMIT_INTERVAL: '1h' };
useReplica((...opened) => ([gateway, second] = opened), { env });

const CHAT = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello there' }] };
const chat = (by: Caller, fields: object = {}): Promise<Response> =>
  by.call('POST', '/chat/completions', { body: { ...CHAT, ...fields } });

function headersOf({ headers }: Response): (string | null)[] {
  return ['ratelimit-limit', 'ratelimit-remaining', 'retry-after'].map((name) => headers.get(name));
}

async function rateLimitOf(by: Caller): Promise<object> {
  const { data } = (await (await by.call('GET', '/key')).json()) as { data: { rate_limit: object } };
  return data.rate_limit;
}

describe('a deployment with a rate limit', () => {
  test('shows limit and remainder with every answer, and refuses with Retry-After', async () => {
    const caller = createCaller(gateway.origin, (await addKey(gateway)).token);
    expect(headersOf(await chat(caller))).toEqual(['3', '2', null]);
    const stream = await chat(caller, { stream: true });
    expect(headersOf(stream)).toEqual(['3', '1', null]);
    await stream.text();
    const wrong = await chat(caller, { messages: 'none' });
    expect([wrong.status, ...headersOf(wrong)]).toEqual([400, '3', '0', null]);

    const refused = await caller.call('POST', '/videos', { body: {} });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(await errorOf(refused)).toEqual({
      code: 429,
      message: 'Rate limit exceeded',
      metadata: { reason: 'rate_limited', retryable: true, retry_after_seconds: seconds },
    });
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
    expect(refused.headers.get('ratelimit-reset')).toBe(`${seconds}`);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  });

  test('counts the requests of all replicas together', async () => {
    const { token } = await addKey(gateway);
    const callers = [gateway.origin, second.origin].map((origin) => createCaller(origin, token));
    const answers = await Promise.all([...callers, ...callers, ...callers].map((caller) => chat(caller)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
  });

  test('counts neither other operations nor other keys', async () => {
    const [caller, other] = [await addKey(gateway), await addKey(gateway)].map(({ token }) =>
      createCaller(gateway.origin, token),
    ) as [Caller, Caller];
    for (let n = 0; n < 4; n += 1) {
      expect(headersOf(await caller.call('GET', '/videos'))).toEqual([null, null, null]);
    }
    await chat(caller);
    expect(headersOf(await chat(other))).toEqual(['3', '2', null]);
  });

  test('shows the limit in GET /key', async () => {
    const caller = createCaller(gateway.origin, (await addKey(gateway)).token);
    expect(await rateLimitOf(caller)).toEqual({
      interval: '3600s',
      requests: 3,
      note: 'Generation requests in any such interval',
    });
  });

  test("applies a key's own limit, and returns to the default", async () => {
    const { token, hash } = await addKey(gateway);
    const caller = createCaller(gateway.origin, token);
    expect(headersOf(await chat(caller))).toEqual(['3', '2', null]);
    expect(await runAdmin(gateway, ['keys', 'rate-limit', hash, '1'])).toMatchObject({ code: 0 });
    await eventually('the lower limit', async () => ((await chat(caller)).status === 429 ? true : undefined));
    expect(await rateLimitOf(caller)).toMatchObject({ requests: 1 });
    expect(await runAdmin(gateway, ['keys', 'rate-limit', hash, 'default'])).toMatchObject({ code: 0 });
    await eventually('the usual limit', async () =>
      (await chat(caller)).headers.get('ratelimit-limit') === '3' ? true : undefined,
    );
    for (const wrong of ['0', '10001', 'many']) {
      expect(await runAdmin(gateway, ['keys', 'rate-limit', hash, wrong])).toMatchObject({
        code: 2,
        stderr: 'A rate limit must be a whole number from 1 to 10000\n',
      });
    }
  });
});
