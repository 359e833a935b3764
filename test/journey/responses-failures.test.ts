import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { auditEvents, type ResponseEvent, type ShownResponse } from '../support/response-events.ts';
import { askResponse, readResponseEvents, responded } from '../support/responses.ts';
import { addTextModels, type CountedTokens, keepsTextPromises } from './text-dialect-suite.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  await addTextModels(gateway, 'test/failing');
});

afterAll(() => gateway.close());

keepsTextPromises(() => gateway, {
  path: '/responses',
  model: 'test/failing',
  on: 'chat',
  midway: 3,
  saying: (text) => ({ input: text }),
  readWhole: async (response) => tokensIn(await responded(response)),
  async readStream(response) {
    const events = await readResponseEvents(response);
    return { text: textOf(events), tokens: tokensIn(events.at(-1)!.response!) };
  },
  async expectRefusal(response, status, reason) {
    expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
  },
  async readBroken(answer) {
    const events = await readResponseEvents(answer);
    auditEvents(events);
    const { type, response } = events.at(-1)!;
    expect(type).toBe('response.failed');
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect(response!.usage!['cost']).toBeGreaterThan(0);
    return { text: textOf(events) };
  },
});

function tokensIn({ usage }: ShownResponse): CountedTokens {
  return { input: usage!['input_tokens'] as number, output: usage!['output_tokens'] as number };
}

function textOf(events: ResponseEvent[]): string {
  return events
    .filter(({ type }) => type === 'response.output_text.delta')
    .map(({ delta }) => delta)
    .join('');
}

test.each([false, true])('a refusal by policy answers 403 and costs nothing (stream: %s)', async (stream) => {
  const code = 'content_policy_violation';
  gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 400, code });
  const response = await askResponse(gateway, { model: 'test/failing', stream });
  expect(await errorOf(response)).toMatchObject({
    code: 403,
    metadata: { reason: 'provider_content_policy' },
  });
  const row = await ledgerRow(gateway, generationIdOf(response));
  expect(row).toMatchObject({ status: 'failed', cost_nanos: '0', streamed: stream });
});

test('a stream that ends at a rate limit reports rate_limit_exceeded', async () => {
  gateway.upstream.addFaults({ kind: 'error-event', events: 3, code: 'rate_limit_exceeded' });
  const events = await readResponseEvents(
    await askResponse(gateway, { model: 'test/failing', stream: true }),
  );
  expect(events.at(-1)!.response!.error).toMatchObject({
    code: 'rate_limit_exceeded',
    metadata: { reason: 'provider_rate_limited', retry_after_seconds: 10 },
  });
});

describe("a key's limit at POST /responses", () => {
  test('refuses with 402 before any upstream call when it is spent', async () => {
    const { token } = await addKey(gateway, { limitNanos: 0n });
    const calls = gateway.upstream.requests('chat').length;
    const response = await askResponse(gateway, {}, createCaller(gateway.origin, token));
    expect((await errorOf(response)).code).toBe(402);
    expect(gateway.upstream.requests('chat')).toHaveLength(calls);
  });

  test('regains its reservation after every failure', async () => {
    // Enough for one request at a time: what was not given back would refuse the next.
    const { token } = await addKey(gateway, { limitNanos: 60_000_000n });
    const caller = createCaller(gateway.origin, token);
    for (const kind of ['error-event', 'cut-stream'] as const) {
      gateway.upstream.addFaults({ kind, events: 2 });
      await readResponseEvents(await askResponse(gateway, { stream: true }, caller));
    }
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    await askResponse(gateway, {}, caller);
    await askResponse(gateway, { truncation: 'auto' }, caller);
    expect((await askResponse(gateway, {}, caller)).status).toBe(200);
  });
});

describe('a hostile body of POST /responses', () => {
  const post = (body: string) =>
    createCaller(gateway.origin, gateway.apiKey).call('POST', '/responses', { body });

  test('gets 400 for 200,001 items', async () => {
    const body = `{"model":"local/echo-1","input":[${'{},'.repeat(200_000)}{}]}`;
    expect((await errorOf(await post(body))).metadata.issues).toEqual([
      { path: 'body.input', message: 'must have at most 100000 entries' },
    ]);
  });

  test.each([
    ['parts that are none', '[{"role":"user","content":[null,1,"x",[]]}]'],
    ['items that are none', '[null,1]'],
    [
      'names of an object’s own',
      '[{"role":"user","content":[{"type":"constructor"}],"__proto__":{"type":"x"}}]',
    ],
  ])('gets 400 for %s', async (_what, input) => {
    expect((await post(`{"model":"local/echo-1","input":${input}}`)).status).toBe(400);
  });
});
