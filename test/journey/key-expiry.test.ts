import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { addKey, type IssuedKey } from '../support/accounts.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => void jest.useRealTimers());
afterAll(() => gateway.close());

const HOUR_MS = 3_600_000;

function addExpiringKey(): Promise<IssuedKey> {
  return addKey(gateway, { expiresAt: new Date(Date.now() + HOUR_MS) });
}

/** Puts the clock of this process, which the API reads, past the key's expiry; timers go on as they are. */
function passTheHour(): void {
  const immediates = ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] as const;
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  jest.useFakeTimers({ doNotFake: [...immediates, ...timers, 'hrtime', 'performance'], now: Date.now() });
  jest.setSystemTime(Date.now() + HOUR_MS);
}

/** Sends a body that begins only after the API has verified the key and something else has happened. */
async function postAfter(
  happens: () => Promise<void> | void,
  path: string,
  token: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; body: string }> {
  const bytes = JSON.stringify(body);
  const asking = request(`${gateway.origin}/api/v1${path}`, {
    method: 'POST',
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
      expect: '100-continue',
      connection: 'close',
    },
  });
  asking.flushHeaders();
  await once(asking, 'continue');
  await happens();
  asking.end(bytes);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}

const REFUSAL = { code: 401, metadata: { reason: 'invalid_credential', retryable: false } };
/** Anthropic's shape of the same refusal. */
const MESSAGES_REFUSAL = { type: 'authentication_error' };

const messages = [{ role: 'user', content: 'Hello' }];
const OPERATIONS: [string, object][] = [
  ['/chat/completions', { model: 'local/echo-1', messages }],
  ['/chat/completions', { model: 'local/echo-1', messages, stream: true }],
  ['/messages', { model: 'local/echo-1', max_tokens: 9, messages }],
  ['/responses', { model: 'local/echo-1', input: 'Hello' }],
  ['/embeddings', { model: 'local/embed-1', input: 'Hello' }],
  ['/rerank', { model: 'local/rerank-1', query: 'a river', documents: ['the river'] }],
  ['/images', { model: 'local/image-canned', prompt: 'A lighthouse' }],
  ['/audio/speech', { model: 'local/speech-canned', input: 'Hello' }],
];

describe.each(OPERATIONS)('a key with an expiry at %s %j', (path, body) => {
  test('gets 401 and no upstream call when it expires before the body', async () => {
    const { token } = await addExpiringKey();
    const before = gateway.upstream.requests().length;
    const answer = await postAfter(passTheHour, path, token, body);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body).error).toMatchObject(path === '/messages' ? MESSAGES_REFUSAL : REFUSAL);
    expect(gateway.upstream.requests()).toHaveLength(before);
  });

  test('gets 200 when it expires after the body', async () => {
    const { token } = await addExpiringKey();
    expect((await postAfter(() => {}, path, token, body)).status).toBe(200);
  });
});

describe.each([
  ['a plain job', {}],
  ['a job with an Idempotency-Key', { 'idempotency-key': 'one' }],
])('a key with an expiry, for %s', (_which, headers) => {
  test('gets 401 and starts no job when it expires before the body', async () => {
    const { token, hash, keyId } = await addExpiringKey();
    const expire = async (): Promise<void> => {
      await gateway.database.query('update api_keys set expires_at = now() where hash = $1', [hash]);
    };
    const answer = await postAfter(
      expire,
      '/videos',
      token,
      { model: 'local/clip-canned', prompt: 'x' },
      headers,
    );
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body).error).toMatchObject(REFUSAL);
    const { rowCount } = await gateway.database.query('select from video_jobs where key_id = $1', [keyId]);
    expect(rowCount).toBe(0);
  });
});
