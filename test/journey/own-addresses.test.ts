import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { postByokKey } from '../support/byok.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { type EgressScene, startEgressScene } from '../support/egress-scene.ts';
import { addPrivateEndpoint, clearOwnResources, noticed } from '../support/own-resources.ts';
import { endpointDraft, makeEndpoint, patchEndpoint, postEndpoint } from '../support/private-endpoints.ts';

const OWN = 'leads to this gateway’s own address';

let scene: EgressScene;
let manager: Caller;
let caller: Caller;
let draftId: string;

beforeAll(async () => {
  scene = await startEgressScene({
    bootstrap: { entitlements: ['interns', 'private_endpoints'] },
    env: { PUBLIC_ALIASES: 'https://llm.example:8443' },
  });
  const { gateway } = scene;
  manager = createCaller(gateway.origin, gateway.managementKey);
  caller = createCaller(gateway.origin, gateway.apiKey);
  draftId = (await makeEndpoint(manager)).id;
  await scene.addSecret('own', 'a-value-0123', ['gateway.example', 'eu.gateway.example', 'llm.example']);
});

afterAll(() => scene.close());

/** Returns the URL with the port on which the gateway of the test listens. */
function at(url: string): string {
  return url.replace('<port>', new URL(scene.gateway.origin).port);
}

describe.each([
  'https://gateway.example/api/v1',
  'https://GATEWAY.example.:443/api/v1',
  'http://gateway.example/api/v1',
  'https://eu.gateway.example/api/v1',
  'https://us.gateway.example/api/v1',
  'https://llm.example:8443/api/v1',
  'http://127.0.0.1:<port>/api/v1',
  'http://2130706433:<port>/api/v1',
  'http://localhost:<port>/api/v1',
  'http://any.localhost:<port>/api/v1',
])("the gateway's own address %s", (own) => {
  test('gets 422 as the address of a private endpoint', async () => {
    const answers = [
      await postEndpoint(manager, endpointDraft({ base_url: at(own) })),
      await patchEndpoint(manager, draftId, { upstream_model_id: 'x', base_url: at(own) }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(422);
      const text = await answer.text();
      expect(text).toContain(OWN);
      expect(text).not.toContain('OUTBOUND_ALLOW');
    }
  });

  test('gets 400 as the address of a credential, with a plain or structured key', async () => {
    const azure = JSON.stringify({ api_key: 'key-0', endpoint_url: at(own) });
    const answers = [
      await postByokKey(manager, { provider: 'openai-compatible', base_url: at(own) }),
      await postByokKey(manager, { provider: 'openai-compatible', key: azure, base_url: at(own) }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(OWN);
    }
  });

  test('gets 400 as a callback, a destination and a directory source', async () => {
    const url = at(own);
    const answers = [
      await caller.call('POST', '/videos', {
        body: { model: 'local/clip-canned', prompt: 'a test', callback_url: url },
      }),
      await manager.call('PATCH', '/workspaces/default', { body: { default_callback_url: url } }),
      await manager.call('POST', '/workspaces', {
        body: { name: 'Loop', slug: 'loop', default_callback_url: url },
      }),
      await manager.call('POST', '/workspaces/default/webhook/test', { body: { url } }),
      await manager.call('POST', '/observability/destinations', {
        body: { type: 'webhook', name: 'Loop', config: { url } },
      }),
      await manager.call('PUT', '/scim/source', {
        body: { type: 'scim', base_url: url, token: 'token-0123' },
      }),
    ];
    for (const answer of answers) {
      const text = await answer.text();
      expect({ status: answer.status, text }).toEqual({ status: 400, text: expect.stringContaining(OWN) });
    }
  });
});

test.each(['gateway.example', 'eu.gateway.example', 'llm.example:8443'])(
  'an intern gets 403 for %s, with a secret for it',
  async (host) => {
    const headers = { authorization: 'Bearer {{secret:own}}' };
    const answer = await scene.send('GET', '/api/v1/models', { host, headers });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining(OWN), metadata: { reason: 'host_refused' } } },
    });
  },
);

test("a stored private endpoint with the gateway's own address gets no requests", async () => {
  const { gateway } = scene;
  const own = await addPrivateEndpoint(gateway, `${gateway.origin}/api/v1`);
  const marker = await addPrivateEndpoint(gateway, 'http://127.0.0.1:1/v1');
  let tried: string[] = [];
  await noticed(async () => {
    const row = await ledgerRow(gateway, (await completed(await askChat(gateway, {}))).id);
    tried = row.provider_responses.map(({ endpoint_id: id }) => id);
    return tried.includes(marker);
  });
  expect(tried).not.toContain(own);
  await clearOwnResources(gateway);
});

test("a frame image with the gateway's own address is not refused for it", async () => {
  const frame = (url: string) => ({ type: 'image_url', frame_type: 'first_frame', image_url: { url } });
  const answer = await caller.call('POST', '/videos', {
    body: {
      model: 'local/clip-canned',
      prompt: 'a test',
      frame_images: [frame('https://gateway.example/api/v1/videos/gen-vid-1/content?signature=x')],
    },
  });
  expect(await answer.text()).not.toContain(OWN);
});
