import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../providers/local/upstream/faults.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents, textOf } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ worker: false });
  const timeouts = { firstByteMs: 1_000, idleMs: 1_000, attemptMs: 1_000 };
  await addChatModel(gateway, 'test/hasty', [{ provider: 'local', timeouts }]);
  await addChatModel(gateway, 'test/poor', [{ provider: 'local' }]);
}, 30_000);

afterAll(() => gateway.close());

const RESPITE = { kind: 'status', on: 'chat', status: 429, retryAfter: '7' } as const;

describe.each([false, true])('an upstream’s failure before the answer begins (stream: %s)', (stream) => {
  test.each<[string, FaultInput, number, string]>([
    ['an internal error', { kind: 'status', on: 'chat', status: 500 }, 502, 'provider_server_error'],
    ['a refused credential', { kind: 'status', on: 'chat', status: 401 }, 502, 'provider_unauthorized'],
    ['an overload', { kind: 'status', on: 'chat', status: 503 }, 529, 'provider_overloaded'],
    ['a rate limit', RESPITE, 429, 'provider_rate_limited'],
    ['a cut connection', { kind: 'drop', on: 'chat' }, 502, 'provider_connection_lost'],
    ['silence', { kind: 'hang', on: 'chat' }, 524, 'provider_timeout'],
    ['an error in a 200', { kind: 'error-body' }, 502, 'provider_server_error'],
    [
      'a refusal by policy',
      { kind: 'status', on: 'chat', status: 400, code: 'content_policy_violation' },
      403,
      'provider_content_policy',
    ],
  ])('%s is told, recorded and free', async (_what, fault, status, reason) => {
    gateway.upstream.addFaults(fault);
    const response = await askChat(gateway, { model: 'test/hasty', stream });
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
    expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
    expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({
      status: 'failed',
      cost_nanos: '0',
      streamed: stream,
    });
  });
});

describe('an upstream’s refusal that is not about the caller', () => {
  test('of a rate limit without a time says when to come back all the same', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429 });
    const response = await askChat(gateway, { model: 'test/hasty' });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('for want of the operator’s money is no rate limit', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429, code: 'insufficient_quota' });
    const response = await askChat(gateway, { model: 'test/hasty' });
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await errorOf(response)).toMatchObject({
      code: 502,
      metadata: { reason: 'provider_unauthorized' },
    });
  });

  test('for want of the operator’s money is asked of the next endpoint', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429, code: 'insufficient_quota' });
    const answer = await completed(await askChat(gateway, { model: 'test/poor', models: ['local/echo-1'] }));
    expect(answer.model).toBe('local/echo-1');
  });
});

describe('a stream that fails in the middle', () => {
  test.each<[string, FaultInput, number]>([
    ['an error event', { kind: 'error-event', events: 3 }, 502],
    ['a cut connection', { kind: 'cut-stream', events: 3 }, 502],
    ['an end without an end', { kind: 'end-early', events: 3 }, 502],
    ['silence', { kind: 'hang-stream', events: 3 }, 524],
    ['a line without end', { kind: 'long-line', events: 3, bytes: 20 * 1024 ** 2 }, 502],
  ])('%s ends it with an error event, and what was sent is billed', async (_what, fault, code) => {
    gateway.upstream.addFaults(fault);
    const chunks = await readEvents(await askChat(gateway, { model: 'test/hasty', stream: true }));
    expect(textOf(chunks).startsWith('You')).toBe(true);
    const [failed, last] = chunks.slice(-2);
    expect(failed).toMatchObject({ choices: [{ finish_reason: 'error' }], error: { code } });
    expect(last!.usage!.cost).toBeGreaterThan(0);
    const row = await ledgerRow(gateway, last!.id);
    expect(row).toMatchObject({ status: 'failed', finish_reason: 'error' });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
  });
});

describe('an upstream that counts', () => {
  test.each([false, true])('never is billed by a guess (stream: %s)', async (stream) => {
    gateway.upstream.addFaults({ kind: 'usage', how: 'never' });
    const response = await askChat(gateway, { stream });
    const { usage } = stream ? (await readEvents(response)).at(-1)! : await completed(response);
    expect(usage!.prompt_tokens).toBeGreaterThan(0);
    expect(usage!.completion_tokens).toBeGreaterThan(0);
  });

  test('twice is billed by its last word', async () => {
    const once = (await readEvents(await askChat(gateway, { stream: true }))).at(-1)!.usage;
    gateway.upstream.addFaults({ kind: 'usage', how: 'twice' });
    const twice = (await readEvents(await askChat(gateway, { stream: true }))).at(-1)!.usage;
    expect(twice).toEqual(once);
  });

  test('nonsense is billed as nothing', async () => {
    const values = { prompt_tokens: -5, completion_tokens: 1.5 };
    gateway.upstream.addFaults({ kind: 'usage', how: 'set', values });
    const response = await askChat(gateway, {});
    if (response.status !== 200) expect(response.status).toBe(502);
    const row = await ledgerRow(gateway, generationIdOf(response));
    expect(Number(row.cost_nanos)).toBeGreaterThanOrEqual(0);
  });
});

describe('a stream that drips', () => {
  test('byte by byte arrives whole', async () => {
    gateway.upstream.addFaults({ kind: 'drip', unit: 'byte' });
    const messages = [{ role: 'user', content: 'Grüße, 世界 🎬' }];
    const chunks = await readEvents(await askChat(gateway, { stream: true, messages }));
    expect(textOf(chunks)).toBe('You said: Grüße, 世界 🎬');
  });
});

describe('a caller who leaves', () => {
  test.each([
    ['a stream in the middle', true, { kind: 'hang-stream', events: 3 } as const],
    ['before the answer begins', false, { kind: 'hang', on: 'chat' } as const],
  ])('%s ends the upstream’s work, and the row says so', async (_when, stream, fault) => {
    const calls = gateway.upstream.requests('chat').length;
    gateway.upstream.addFaults(fault);
    const leaving = new AbortController();
    const asked = fetch(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'local/echo-1',
        stream,
        messages: [{ role: 'user', content: 'Hello there' }],
      }),
    }).then((response) => response.text());
    const call = await eventually(
      'the upstream at work',
      async () => gateway.upstream.requests('chat')[calls],
    );
    const before = await cancelled();
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await eventually('the end of the upstream’s work', async () => call.brokenOff);
    const after = await eventually('the row', async () => {
      const rows = await cancelled();
      return rows.length > before.length ? rows : undefined;
    });
    expect(after).toHaveLength(before.length + 1);
  });

  async function cancelled(): Promise<unknown[]> {
    const { rows } = await gateway.database.query(`select id from generations where status = 'cancelled'`);
    return rows;
  }
});

describe('a hostile body', () => {
  const post = (body: string) =>
    createCaller(gateway.origin, gateway.apiKey).call('POST', '/chat/completions', { body });

  test('with a million messages is refused', async () => {
    const body = `{"model":"local/echo-1","messages":[${'{},'.repeat(1_000_000)}{}]}`;
    expect((await errorOf(await post(body))).metadata.issues).toEqual([
      { path: 'body.messages', message: 'must have at most 100000 entries' },
    ]);
  });

  test('nested without end is refused or passed on, never a crash', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = `{"model":"local/echo-1","messages":[{"role":"user","content":"x"}],"extra":${deep}}`;
    expect([200, 400]).toContain((await post(body)).status);
    expect((await askChat(gateway, {})).status).toBe(200);
  });
});
