import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { addPrivateEndpoint, clearOwnResources, noticed } from '../support/own-resources.ts';
import { ENTITLED } from '../support/private-endpoints.ts';
import { startReplica } from '../support/replica.ts';
import { type Relay, type RelayOptions, startRelay } from '../support/relay.ts';

const LIMIT = 20;
const ALONE = { provider: { allow_fallbacks: false } };

let gateway: Gateway;
let other: Caller;
let relay: Relay | undefined;

beforeAll(async () => {
  gateway = await startGateway({
    bootstrap: ENTITLED,
    env: { MAX_IN_FLIGHT_PER_ORGANIZATION: `${LIMIT}`, PROVIDER_SECOND_API_KEY: 'upstream-key' },
  });
  const { token } = await addKey(gateway, await addOrganization(gateway));
  other = createCaller(gateway.origin, token);
});

afterEach(async () => {
  await clearOwnResources(gateway);
  await relay?.close();
});

afterAll(() => gateway.close());

/** Starts a relay as the server of a private endpoint to which requests are sent. */
async function loopOver(options: RelayOptions): Promise<Relay> {
  const started = await startRelay(gateway, options);
  relay = started;
  await addPrivateEndpoint(gateway, started.baseUrl);
  await noticed(async () => {
    await askChat(gateway, {});
    return started.isKnown;
  });
  started.start();
  return started;
}

describe('a relay that drops every header', () => {
  test("stops with 429 at its organization's in-flight limit; other organizations get answers", async () => {
    const release = Promise.withResolvers<void>();
    const { refused } = await loopOver({ fields: ALONE, until: release.promise, maxHops: 3 * LIMIT });
    const looping = askChat(gateway, ALONE);
    const { status, retryAfter, text } = await refused;
    expect({ status, ...JSON.parse(text) }).toMatchObject({
      status: 429,
      error: { code: 429, metadata: { reason: 'too_many_in_flight', retryable: true } },
    });
    expect(retryAfter).toBe('1');
    expect(relay?.hops).toBe(LIMIT);

    await completed(await askChat(gateway, {}, other));
    expect(await errorOf(await askChat(gateway, {}))).toMatchObject({
      code: 429,
      metadata: { reason: 'too_many_in_flight' },
    });

    release.resolve();
    expect((await looping).status).toBe(429);
    await clearOwnResources(gateway);
    await noticed(async () => (await askChat(gateway, {})).status === 200);
  });
});

/** Passes on all headers that the gateway sent, as a proxy does. */
const asProxy: RelayOptions['passOn'] = (received) => {
  const { host: _host, connection: _connection, 'content-length': _length, ...passed } = received;
  return passed as Record<string, string>;
};

describe('a relay that passes all headers on', () => {
  test.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('gets 508 for its fourth request, %s, and no other endpoint serves it', async (_how, fields) => {
    await loopOver({ passOn: asProxy, maxHops: LIMIT });
    const before = gateway.upstream.requests('chat').length;
    const models = ['local/echo-1', 'local/chat-canned'];
    const answer = await askChat(gateway, { models, ...fields });
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([508, 'false']);
    expect(await errorOf(answer)).toEqual({
      code: 508,
      message: 'Loop detected',
      metadata: { reason: 'loop_detected', retryable: false },
    });
    expect(relay?.hops).toBe(3);
    expect(gateway.upstream.requests('chat').length).toBe(before);
  });

  test('gets 508 from replicas in the middle of a rotation of encryption keys', async () => {
    const [current] = gateway.config.encryption.keys;
    const added: [string, Buffer] = ['added', randomBytes(32)];
    const replica = await startReplica(gateway, () => ({
      encryption: { currentKeyId: 'added', keys: new Map([added, current!]) },
    }));
    // The relay alternates between the replica with the new key and one that only reads it.
    const reader = await startReplica(gateway, ({ encryption }) => ({
      encryption: { ...encryption, keys: new Map([...encryption.keys, added]) },
    }));
    const started = await loopOver({
      passOn: asProxy,
      origins: [replica.origin, reader.origin],
      maxHops: LIMIT,
    });
    const answer = await askChat({ ...gateway, origin: reader.origin }, {});
    expect(answer.status).toBe(508);
    expect(started.hops).toBe(3);
    await replica.close();
    await reader.close();
  });
});

test.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])("a vendor's 508 ends a request, %s, without another attempt", async (_how, fields) => {
  await addChatModel(gateway, 'test/two', [
    { provider: 'local' },
    { provider: 'second', adapter: 'openai-compatible' },
  ]);
  gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 508 });
  const before = gateway.upstream.requests('chat').length;
  const body = { model: 'test/two', models: ['test/two', 'local/echo-1'], ...fields };
  const answer = await askChat(gateway, body);
  expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([508, 'false']);
  expect((await errorOf(answer)).metadata).toEqual({ reason: 'loop_detected', retryable: false });
  expect(gateway.upstream.requests('chat').length).toBe(before + 1);
});
