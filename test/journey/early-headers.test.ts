import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow, readEvents, textOf } from '../support/chat.ts';
import { withoutComments } from '../support/early-headers.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { readMessageEvents, saidIn } from '../support/messages.ts';
import { auditEvents, wordsOf } from '../support/response-events.ts';
import { readResponseEvents } from '../support/responses.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    env: {
      STREAM_HEADERS_AFTER: '20ms',
      PROVIDER_SECOND_API_KEY: 'upstream-key',
      PROVIDER_CLAUDE_API_KEY: 'upstream-key',
    },
  });
  await addChatModel(gateway, 'test/two', [
    { provider: 'local' },
    { provider: 'second', adapter: 'openai-compatible' },
  ]);
  await addChatModel(gateway, 'test/native', [{ provider: 'claude', adapter: 'anthropic' }]);
});

afterEach(() => gateway.upstream.clearFaults());
afterAll(() => gateway.close());

/** Long after the headers have left. */
const LATE = { delayMs: 250 };

interface Dialect {
  path: string;
  model: string;
  on: 'chat' | 'messages';
  body: object;
  /** What the stream says; every event of it is held against the contract. */
  textIn(stream: Response): Promise<string>;
  /** The error of a stream that has nothing else. */
  errorIn(stream: Response): Promise<unknown>;
  /** A rate limit of the provider, which is over in seven seconds. */
  limited: object;
}

const messages = [{ role: 'user', content: 'Hello there' }];
const details = { reason: 'provider_rate_limited', retryable: true, retry_after_seconds: 7 };

const chat: Dialect = {
  path: '/chat/completions',
  model: 'local/echo-1',
  on: 'chat',
  body: { messages },
  textIn: async (stream) => textOf(await readEvents(stream)),
  async errorIn(stream) {
    const [event, ...others] = await readEvents(stream);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ model: 'local/echo-1', choices: [{ finish_reason: 'error' }] });
    return event!.error;
  },
  limited: {
    code: 429,
    message: 'Rate limit exceeded',
    metadata: { ...details, error_type: 'provider_rate_limited' },
  },
};

const message: Dialect = {
  path: '/messages',
  model: 'local/echo-1',
  on: 'chat',
  body: { max_tokens: 100, messages },
  textIn: async (stream) => saidIn(await readMessageEvents(stream)),
  async errorIn(stream) {
    const [event, ...others] = await readMessageEvents(stream);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'error', request_id: stream.headers.get('x-request-id') });
    return event!.error;
  },
  limited: { type: 'rate_limit_error', message: 'Rate limit exceeded', metadata: details },
};

const response: Dialect = {
  path: '/responses',
  model: 'local/echo-1',
  on: 'chat',
  body: { input: 'Hello there' },
  async textIn(stream) {
    const events = await readResponseEvents(stream);
    auditEvents(events);
    return wordsOf(events.at(-1)!.response!);
  },
  async errorIn(stream) {
    const events = await readResponseEvents(stream);
    auditEvents(events);
    const { type, response: failed } = events.at(-1)!;
    expect(type).toBe('response.failed');
    expect(failed).toMatchObject({ id: generationIdOf(stream), status: 'failed', model: 'local/echo-1' });
    return failed!.error;
  },
  limited: {
    code: 'rate_limit_exceeded',
    message: 'Rate limit exceeded',
    metadata: { ...details, error_type: 'provider_rate_limited' },
  },
};

const native = { ...message, model: 'test/native', on: 'messages' as const };

describe.each<[string, Dialect]>([
  ['chat', chat],
  ['message', message],
  ['message of a provider of messages', native],
  ['response', response],
])('a streamed %s with a slow upstream', (_, { path, model, on, body, textIn, errorIn, limited }) => {
  const misbehave = (fault: object) => gateway.upstream.addFaults({ on, ...fault } as FaultInput);
  const ask = (more: object = {}, token = gateway.apiKey) =>
    createCaller(gateway.origin, token).call('POST', path, {
      body: { ...body, model, stream: true, ...more },
    });

  test('starts with comments and then sends its events', async () => {
    misbehave({ kind: 'delay', ...LATE });
    const stream = await withoutComments(await ask());
    expect(await textIn(stream)).toBe('You said: Hello there');
    expect(await ledgerRow(gateway, generationIdOf(stream))).toMatchObject({ status: 'completed' });
  });

  test('sends a failure as an event with the time to wait', async () => {
    misbehave({ kind: 'status', status: 429, retryAfter: '7', ...LATE });
    const stream = await withoutComments(await ask());
    expect(await errorIn(stream)).toEqual(limited);
    expect(await ledgerRow(gateway, generationIdOf(stream))).toMatchObject({
      status: 'failed',
      streamed: true,
      cost_nanos: '0',
      provider_responses: [{ status: 429 }],
    });
  });

  test("cancels the upstream's work when its caller leaves, and bills the prompt", async () => {
    const calls = gateway.upstream.requests(on).length;
    misbehave({ kind: 'hang' });
    const stream = await ask();
    await stream.body!.cancel();
    const call = gateway.upstream.requests(on)[calls]!;
    await eventually('the end of the upstream’s work', async () => call.brokenOff);
    const row = await ledgerRow(gateway, generationIdOf(stream));
    expect(row).toMatchObject({ status: 'cancelled', tokens_completion: 0 });
    expect(Number(row.cost_nanos)).toBeGreaterThan(0);
  });

  test('answers 400, 402 or 404 for failures before any upstream request', async () => {
    const { token } = await addKey(gateway, { limitNanos: 0n });
    const wrong = await ask({ provider: { sort: 'unknown' } });
    const statuses = [wrong, await ask({}, token), await ask({ model: 'no/such' })].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([400, 402, 404]);
  });
});

test.each([chat, message, response])(
  '$path falls back to the next endpoint after the headers are sent',
  async (dialect) => {
    const { path, body, textIn } = dialect;
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500, ...LATE });
    const caller = createCaller(gateway.origin, gateway.apiKey);
    const asked = { ...body, model: 'test/two', stream: true };
    const stream = await withoutComments(await caller.call('POST', path, { body: asked }));
    expect(await textIn(stream)).toBe('You said: Hello there');
    const { provider_responses: attempts } = await ledgerRow(gateway, generationIdOf(stream));
    expect(attempts.map(({ status }) => status)).toEqual([500, 200]);
  },
);

test.each([chat, response])(
  '$path sends x-output-limit even in headers that are sent early',
  async (dialect) => {
    const { path, body } = dialect;
    const { token } = await addKey(gateway, { limitNanos: parseUsd('0.1') });
    gateway.upstream.addFaults({ kind: 'delay', on: 'chat', ...LATE });
    const asked = { ...body, model: 'local/echo-1', stream: true };
    const stream = await withoutComments(
      await createCaller(gateway.origin, token).call('POST', path, { body: asked }),
    );
    const limit = gateway.upstream.requests('chat').at(-1)!.fields!['max_tokens'];
    expect(limit).toBeGreaterThan(0);
    expect(Number(stream.headers.get('x-output-limit'))).toBe(limit);
  },
);
