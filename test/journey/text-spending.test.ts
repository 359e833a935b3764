import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createWorkspaceBudgetStore } from '../../db/accounts/workspace-budget-store.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { parseUsd } from '../../domain/money.ts';
import { addCredit, addKey, addOrganization, type IssuedKey } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { completed, readEvents } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Replica, startReplica } from '../support/replica.ts';

const ASK = {
  model: 'local/echo-1',
  messages: [{ role: 'user', content: 'Hello there' }],
  max_tokens: 1_000,
};
/** `max_tokens` at the price of the model, and more than the prompt costs. */
const ESTIMATE_USD = '0.0021';

let gateway: Gateway;
let second: Replica;
let database: Database;

beforeAll(async () => {
  gateway = await startGateway({ env: { CREDITS_URL: 'https://pay.example/credits' } });
  second = await startReplica(gateway);
  database = createDatabase({ url: gateway.config.database.url, poolMax: 2 });
});

afterAll(async () => {
  await database.close();
  await second.close();
  await gateway.close();
});

function callerOf({ token }: IssuedKey, origin = gateway.origin): Caller {
  return createCaller(origin, token);
}

function ask(by: Caller, fields: object = {}): Promise<Response> {
  return by.call('POST', '/chat/completions', { body: { ...ASK, ...fields } });
}

const limited = (usd: string): Promise<IssuedKey> => addKey(gateway, { limitNanos: parseUsd(usd) });

async function keyInfo(by: Caller): Promise<{ limit_remaining: number; usage: number }> {
  const answer = (await (await by.call('GET', '/key')).json()) as {
    data: { limit_remaining: number; usage: number };
  };
  return answer.data;
}

/** A key of which nothing is told lives for 30 s in memory; what takes as long was not told. */
const PATIENCE_MS = 15_000;

/** In whole nanodollars, which floats of this size are exact in. */
const nanos = (usd: number): number => Math.round(usd * 1e9);

describe('a key with a limit', () => {
  test('answers 402 to chat and embeddings before any upstream is called', async () => {
    const caller = callerOf(await limited('0'));
    const before = gateway.upstream.requests('chat').length;
    const over = { code: 402, message: 'Key limit exceeded' };
    expect(await errorOf(await ask(caller))).toMatchObject(over);
    const body = { model: 'local/embed-1', input: 'some text' };
    expect(await errorOf(await caller.call('POST', '/embeddings', { body }))).toMatchObject(over);
    expect(gateway.upstream.requests('chat')).toHaveLength(before);
  });

  test('shows as remaining its limit less the cost of its answers', async () => {
    const caller = callerOf(await limited(ESTIMATE_USD));
    const first = await completed(await ask(caller, { max_tokens: 100 }));
    const chunks = await readEvents(await ask(caller, { max_tokens: 100, stream: true }));
    const cost = nanos(first.usage!.cost!) + nanos(chunks.at(-1)!.usage!.cost!);
    const seen = await keyInfo(caller);
    expect(nanos(seen.usage)).toBe(cost);
    expect(nanos(seen.limit_remaining)).toBe(2_100_000 - cost);
    // No room for the full estimate any more, and the checker says so as well.
    expect(await errorOf(await ask(caller, { max_tokens: 1_050 }))).toMatchObject({ code: 402 });
  });

  test.each([
    ['/chat/completions', { messages: ASK.messages, max_tokens: 1_000 }, { n: 8 }],
    ['/chat/completions', { messages: ASK.messages }, { max_tokens: '100000' }],
    [
      '/chat/completions',
      { messages: ASK.messages, max_tokens: 1_000 },
      { tools: [{ x: 'y'.repeat(20_000) }] },
    ],
    ['/messages', { messages: ASK.messages, max_tokens: 1 }, { max_completion_tokens: 16_000 }],
    ['/responses', { input: 'Hello there', max_output_tokens: 1 }, { max_tokens: 16_000 }],
    ['/messages', { messages: ASK.messages, max_tokens: 1_000 }, { system: 'y'.repeat(20_000) }],
    ['/responses', { input: 'Hello there' }, { max_output_tokens: 100_000 }],
    ['/responses', { input: 'Hello there', max_output_tokens: 1_000 }, { instructions: 'y'.repeat(20_000) }],
  ])('reserves what %s asks by provider options too: %j, %j', async (path, body, options) => {
    const caller = callerOf(await limited(ESTIMATE_USD));
    const before = gateway.upstream.requests('chat').length;
    const asking = (slug: string) =>
      caller.call('POST', path, {
        body: { model: ASK.model, ...body, provider: { options: { [slug]: options } } },
      });
    expect((await asking('local')).status).toBe(402);
    expect(gateway.upstream.requests('chat')).toHaveLength(before);
    // Options for another provider are not sent, so they are not held.
    expect((await asking('openai')).status).toBe(200);
  });

  test('accepts only as many simultaneous requests as fit its limit', async () => {
    const caller = callerOf(await limited(ESTIMATE_USD));
    gateway.upstream.addFaults({ kind: 'delay', on: 'chat', delayMs: 5_000, times: 20 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(caller)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    gateway.upstream.clearFaults();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 402)]);
  });

  test('gets everything back after failures, and all but the prompt after callers leave', async () => {
    const key = await limited(ESTIMATE_USD);
    const caller = callerOf(key);
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    expect((await ask(caller)).status).toBe(502);
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    expect((await ask(caller, { stream: true })).status).toBe(502);

    gateway.upstream.addFaults({ kind: 'hang', on: 'chat' });
    const leaving = new AbortController();
    const left = fetch(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(ASK),
      signal: leaving.signal,
    }).catch(() => 'left');
    try {
      const held = await eventually(
        'the estimate held back',
        async () => {
          const { limit_remaining } = await keyInfo(caller);
          return limit_remaining < 0.0021 ? limit_remaining : undefined;
        },
        PATIENCE_MS,
      );
      expect(held).toBeLessThan(0.0001);
      expect(await errorOf(await ask(caller))).toMatchObject({ code: 402 });
    } finally {
      leaving.abort();
    }
    expect(await left).toBe('left');
    await eventually(
      'the estimate given back, and the prompt of seven tokens paid',
      async () => {
        const { limit_remaining } = await keyInfo(caller);
        return nanos(limit_remaining) === 2_100_000 - 7_000 ? true : undefined;
      },
      PATIENCE_MS,
    );
    expect((await ask(caller)).status).toBe(200);
  });
});

describe('missing credit', () => {
  test('answers 402 with the page to buy credit, until credit is added', async () => {
    const place = await addOrganization(gateway, { creditEnforcement: true });
    const key = await addKey(gateway, place);
    const callers = [callerOf(key), callerOf(key, second.origin)];
    for (const caller of callers) {
      expect(await errorOf(await ask(caller))).toMatchObject({
        code: 402,
        message: 'Insufficient credits. Add credits at https://pay.example/credits',
      });
    }
    await addCredit(gateway, ESTIMATE_USD, place.organizationId);
    for (const caller of callers) {
      await eventually('the credit', async () =>
        (await ask(caller, { max_tokens: 10 })).status === 200 ? true : undefined,
      );
    }
  });
});

describe('a change of budgets or credit enforcement', () => {
  const everywhere = (key: IssuedKey, status: number): Promise<true> => {
    const callers = [callerOf(key), callerOf(key, second.origin)];
    return eventually(
      `${status} at both replicas`,
      async () => {
        const answers = await Promise.all(callers.map((caller) => ask(caller)));
        return answers.every((answer) => answer.status === status) ? true : undefined;
      },
      PATIENCE_MS,
    );
  };

  test('reaches every replica', async () => {
    const place = await addOrganization(gateway);
    const key = await addKey(gateway, place);
    await everywhere(key, 200);
    const budgets = createWorkspaceBudgetStore(database.knex);
    await budgets.upsert(place.workspaceId, 'daily', 1n);
    await everywhere(key, 402);
    expect(await errorOf(await ask(callerOf(key)))).toMatchObject({
      code: 402,
      message: 'Workspace budget exceeded',
      metadata: { reason: 'budget_exceeded', retryable: false },
    });
    await budgets.upsert(place.workspaceId, 'daily', parseUsd('1'));
    await everywhere(key, 200);
    await budgets.upsert(place.workspaceId, 'lifetime', 0n);
    await everywhere(key, 402);
    await budgets.delete(place.workspaceId, 'lifetime');
    await everywhere(key, 200);
    await database
      .knex('organizations')
      .where({ id: place.organizationId })
      .update({ credit_enforcement: true });
    await everywhere(key, 402);
    await addCredit(gateway, '1', place.organizationId);
    await everywhere(key, 200);
  });
});

test('an answer to a key without a rate limit has no ratelimit headers', async () => {
  const caller = callerOf(await addKey(gateway));
  const answer = await ask(caller);
  expect([...answer.headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
});
