import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { addPrivateEndpoint, clearOwnResources, noticed } from '../support/own-resources.ts';
import { ENTITLED } from '../support/private-endpoints.ts';
import { type Relay, type RelayOptions, startRelay } from '../support/relay.ts';

const LIMIT = 20;
const ALONE = { provider: { allow_fallbacks: false } };

let gateway: Gateway;
let other: Caller;
let relay: Relay | undefined;

beforeAll(async () => {
  gateway = await startGateway({
    worker: false,
    bootstrap: ENTITLED,
    env: { MAX_IN_FLIGHT_PER_ORGANIZATION: `${LIMIT}` },
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
  test('stops at the limit of the organization, while other organizations are served', async () => {
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
