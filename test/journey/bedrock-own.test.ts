/** Checks that customers bring credentials of Bedrock: for endpoints of their own, and for models of the catalog. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { AWS_KEYS, type BedrockCloud, startBedrockCloud } from '../support/bedrock-cloud.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { billChat, bringKey, createActivated } from '../support/endpoint-to-bill.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ENTITLED } from '../support/private-endpoints.ts';

let gateway: Gateway;
let manager: Caller;
let cloud: BedrockCloud;

beforeAll(async () => {
  cloud = await startBedrockCloud();
  gateway = await startGateway({ worker: ['provider-io'], bootstrap: ENTITLED });
  manager = createCaller(gateway.origin, gateway.managementKey);
});
afterAll(async () => {
  await gateway.close();
  await cloud.close();
});

test('a private endpoint at Bedrock is validated, activated and billed', async () => {
  const address = { base_url: cloud.origin };
  await bringKey(manager, { provider: 'bedrock', key: JSON.stringify(AWS_KEYS), ...address });
  const { status, answer } = await createActivated(gateway, manager, {
    provider_slug: 'bedrock',
    upstream_model_id: 'eu.anthropic.claude-sonnet-4-6',
    ...address,
  });
  expect({ status, answer }).toMatchObject({ status: 201, answer: { data: { status: 'active' } } });
  await billChat(gateway, answer.data.id, 'Hi');
  expect(cloud.calls.at(-1)).toMatchObject({ model: 'eu.anthropic.claude-sonnet-4-6' });
});

test('a credential without an address gets that of its region, and shows the ends of its key id', async () => {
  const body = { provider: 'bedrock', key: JSON.stringify(AWS_KEYS) };
  const answer = await manager.call('POST', '/byok', { body });
  const { data } = (await answer.json()) as { data: { id: string; label: string } };
  expect(data.label).not.toContain(AWS_KEYS.secretAccessKey.slice(-4));
  expect(data.label).toContain(AWS_KEYS.accessKeyId.slice(-4));
  const { rows } = await gateway.database.query('select origin from byok_credentials where id = $1', [
    data.id,
  ]);
  expect(rows).toEqual([{ origin: 'https://bedrock-runtime.eu-west-1.amazonaws.com' }]);
});

test.each([
  [
    JSON.stringify({ ...AWS_KEYS, secretAccessKey: undefined }),
    'body.key',
    'must have the field secretAccessKey',
  ],
  [JSON.stringify({ region: 'eu-west-1', profile: 'work' }), 'body.key', 'must contain its own secret'],
  ['ABSK1', 'body.base_url', 'unless the key is a JSON object with a region'],
])('the key %s is a 400 that names the field', async (key, path, message) => {
  const answer = await manager.call('POST', '/byok', { body: { provider: 'bedrock', key } });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([400, expect.stringContaining(path)]);
  expect(text).toContain(message);
});
