/** Checks that requests at once exceed a spending limit by no more than the error of one estimate. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import type { FaultInput } from '../../providers/local/upstream/faults.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addRerankModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { SMALL } from '../support/images.ts';

/**
 * Words of one letter: a thousand tokens for the upstream, and half as many by the estimate. A token costs $0.000001.
 */
const WORDS = 'a '.repeat(1_000);
const ERROR_USD = 0.0006;
const ASK = { model: 'local/echo-1', max_tokens: 1, messages: [{ role: 'user', content: WORDS }] };
const RANK = { model: 'test/rank', query: 'a', documents: [WORDS] };
const DRAW = { model: 'local/image-1', prompt: WORDS, size: SMALL };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ worker: false, times: { limitWaitMs: 2_000 } });
  const pricing = { prompt: '0.000001', completion: '0' };
  await addRerankModel(gateway, RANK.model, [{ provider: 'local', pricing }]);
});
afterAll(() => gateway.close());

test.each<[string, FaultInput['on'], object]>([
  ['/chat/completions', 'chat', { ...ASK, stream: false }],
  ['/chat/completions', 'chat', { ...ASK, stream: true }],
  ['/rerank', 'rerank', RANK],
  ['/images', 'images', DRAW],
])(
  "sixteen requests at once to %s exceed the key's limit by one estimate's error",
  async (path, on, body) => {
    const limitUsd = 0.0045;
    const key = await addKey(gateway, { limitNanos: parseUsd(`${limitUsd}`) });
    const caller = createCaller(gateway.origin, key.token);
    gateway.upstream.addFaults({ kind: 'delay', on, delayMs: 50, times: 16 } as FaultInput);
    const answers = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const answer = await caller.call('POST', path, { body });
        await answer.text();
        return answer.status;
      }),
    );
    gateway.upstream.clearFaults();
    expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect(answers.filter((status) => status !== 200 && status !== 402)).toEqual([]);
    const { data } = (await (await caller.call('GET', '/key')).json()) as { data: { usage: number } };
    expect(data.usage).toBeLessThanOrEqual(limitUsd + ERROR_USD);
  },
);

test("a request that waits for its key's limit beyond the timeout answers 429", async () => {
  const key = await addKey(gateway, { limitNanos: parseUsd('0.0022') });
  const caller = createCaller(gateway.origin, key.token);
  const calls = gateway.upstream.requests('chat').length;
  gateway.upstream.addFaults({ kind: 'hang', on: 'chat', times: 1 });
  const leaving = new AbortController();
  const first = fetch(`${gateway.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(ASK),
    signal: leaving.signal,
  }).catch(() => 'left');
  await eventually('the upstream at work', async () => gateway.upstream.requests('chat')[calls]?.outcome);
  const busy = await caller.call('POST', '/chat/completions', { body: ASK });
  expect(busy.headers.get('retry-after')).toBe('1');
  expect(await errorOf(busy)).toMatchObject({
    code: 429,
    metadata: { reason: 'limit_busy', retryable: true },
  });
  leaving.abort();
  expect(await first).toBe('left');
});
