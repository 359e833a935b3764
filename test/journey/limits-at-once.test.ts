/** Checks that requests at once exceed a spending limit by no more than the error of one estimate. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { parseUsd } from '../../domain/money.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel, addRerankModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { SMALL } from '../support/images.ts';
import { scrape, scrapeUntil } from '../support/scrape.ts';
import { sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

/**
 * Words of one letter: a thousand tokens for the upstream, and half as many by the estimate. A token costs $0.000001.
 */
const WORDS = 'a '.repeat(1_000);
const ERROR_USD = 0.0006;
const ASK = { model: 'local/echo-1', max_tokens: 1, messages: [{ role: 'user', content: WORDS }] };
const RANK = { model: 'test/rank', query: 'a', documents: [WORDS] };
const DRAW = { model: 'local/image-1', prompt: WORDS, size: SMALL };

const PAGED = 'test/paged';

let gateway: Gateway;
let vendor: VendorServer;
let port: number;

beforeAll(async () => {
  [port = 0] = await findFreePorts(1);
  gateway = await startGateway({
    times: { limitWaitMs: 2_000 },
    env: { METRICS_PORT: String(port) },
  });
  vendor = await startVendorServer((_, response) => {
    const usage = { prompt_tokens: PAGES, completion_tokens: 1, total_tokens: PAGES + 1 };
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hm' }, finish_reason: 'stop' }];
    sendJson(response, 200, { id: 'a', object: 'chat.completion', created: 1, model: 'a', choices, usage });
  });
  const endpoint = { provider: 'paging', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  const inputModalities = ['text', 'image', 'audio', 'video', 'file'] as const;
  await addChatModel(gateway, PAGED, [endpoint], { inputModalities: [...inputModalities] });
  const pricing = { prompt: '0.000001', completion: '0' };
  await addRerankModel(gateway, RANK.model, [{ provider: 'local', pricing }]);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

test.each<[string, FaultInput['on'], object]>([
  ['/chat/completions', 'chat', { ...ASK, stream: false }],
  ['/chat/completions', 'chat', { ...ASK, stream: true }],
  ['/rerank', 'rerank', RANK],
  ['/images', 'images', DRAW],
])(
  "sixteen requests at once to %s exceed the key's limit by one estimate's error",
  async (path, on, body) => {
    const limitUsd = 0.0045;
    gateway.upstream.addFaults({ kind: 'delay', on, delayMs: 50, times: 16 } as FaultInput);
    const { answered, usage } = await sixteenAtOnce(limitUsd, path, body);
    gateway.upstream.clearFaults();
    expect(answered).toBeGreaterThanOrEqual(2);
    expect(usage).toBeLessThanOrEqual(limitUsd + ERROR_USD);
  },
);

/**
 * A vendor that counts far more tokens than the bytes have, as for a document with many compressed pages. An answer
 * costs $0.1.
 */
const PAGES = 100_000;

test.each<[string, object]>([
  ['documents', { type: 'file', file: { file_data: `data:application/pdf;base64,${'AAAA'.repeat(2_500)}` } }],
  ['videos', { type: 'video_url', video_url: { url: `data:video/mp4;base64,${'AAAA'.repeat(2_500)}` } }],
  ['recordings', { type: 'input_audio', input_audio: { data: 'T2dnUwAA'.repeat(125), format: 'ogg' } }],
])("sixteen compressed %s at once exceed the key's limit by one answer's cost", async (_, part) => {
  const body = { ...ASK, model: PAGED, messages: [{ role: 'user', content: [part] }] };
  const { answered, usage } = await sixteenAtOnce(0.25, '/chat/completions', body);
  expect(answered).toBeGreaterThanOrEqual(2);
  expect(usage).toBeLessThanOrEqual(0.25 + 0.11);
});

/** Sends sixteen requests at once under a limit; each is answered or refused with a 402. */
async function sixteenAtOnce(limitUsd: number, path: string, body: object) {
  const key = await addKey(gateway, { limitNanos: parseUsd(`${limitUsd}`) });
  const caller = createCaller(gateway.origin, key.token);
  const answers = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const answer = await caller.call('POST', path, { body });
      await answer.text();
      return answer.status;
    }),
  );
  expect(answers.filter((status) => status !== 200 && status !== 402)).toEqual([]);
  const { data } = (await (await caller.call('GET', '/key')).json()) as { data: { usage: number } };
  return { answered: answers.filter((status) => status === 200).length, usage: data.usage };
}

test("a request that waits for its key's limit beyond the timeout answers 429", async () => {
  const { caller, leave } = await hangNearLimit();
  const busy = await caller.call('POST', '/chat/completions', { body: ASK });
  expect(busy.headers.get('retry-after')).toBe('1');
  expect(await errorOf(busy)).toMatchObject({
    code: 429,
    metadata: { reason: 'limit_busy', retryable: true },
  });
  await leave();
});

test('a caller who leaves while a request waits takes it out of the queue', async () => {
  const { token, caller, leave } = await hangNearLimit();
  const before = await waitsEnded();
  const waiting = askAndLeave(token);
  await scrapeUntil(port, 'sluice_requests_in_flight{operation="createChatCompletion"}', 2);
  await waiting.leave();
  const ended = await eventually('the end of the wait', async () => {
    const now = await waitsEnded();
    return now.gone + now.timedOut > before.gone + before.timedOut ? now : undefined;
  });
  expect(ended).toEqual({ gone: before.gone + 1, timedOut: before.timedOut });
  const small = { ...ASK, messages: [{ role: 'user', content: 'Hi' }] };
  expect(await (await caller.call('POST', '/chat/completions', { body: small })).json()).toHaveProperty(
    'usage',
  );
  await leave();
});

/** Starts a request that fills most of the limit of a new key, and that ends only when its caller leaves. */
async function hangNearLimit() {
  const { token } = await addKey(gateway, { limitNanos: parseUsd('0.0022') });
  const calls = gateway.upstream.requests('chat').length;
  gateway.upstream.addFaults({ kind: 'hang', on: 'chat', times: 1 });
  const { leave } = askAndLeave(token);
  await eventually('the upstream at work', async () => gateway.upstream.requests('chat')[calls]?.outcome);
  return { token, leave, caller: createCaller(gateway.origin, token) };
}

function askAndLeave(token: string) {
  const leaving = new AbortController();
  const asked = fetch(`${gateway.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(ASK),
    signal: leaving.signal,
  }).catch(() => 'left');
  return {
    async leave() {
      leaving.abort();
      expect(await asked).toBe('left');
    },
  };
}

/** Returns how many waits have ended because the caller left, and because the longest wait was over. */
async function waitsEnded() {
  const { value } = await scrape(port);
  const of = (end: string): number => value(`sluice_limit_waits_total{end="${end}"}`) ?? 0;
  return { gone: of('gone'), timedOut: of('timed_out') };
}
