import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import { BadRequestResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors';
import { SECRET } from '../support/byok.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient, thrownBy } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = publishedClient(gateway, gateway.managementKey);
});

afterAll(() => gateway.close());

test('the published client creates, reads, lists, updates and deletes own keys', async () => {
  const create = (provider: 'openai' | 'anthropic') =>
    client.byok.create({ createBYOKKeyRequest: { provider, key: SECRET, allowedModels: ['local/echo-1'] } });
  const { data } = await create('openai');
  expect(data).toMatchObject({ provider: 'openai', label: 'sk-f...last', workspaceId: gateway.workspaceId });
  expect((await client.byok.get({ id: data.id })).data).toEqual(data);
  await create('anthropic');
  await create('openai');
  const providers: string[] = [];
  for await (const page of await client.byok.list({ limit: 2 })) {
    providers.push(...page.result.data.map(({ provider }) => provider));
  }
  expect(providers).toEqual(['openai', 'anthropic', 'openai']);
  const updateBYOKKeyRequest = { key: 'other-secret-0123456789', allowedModels: null };
  const updated = await client.byok.update({ id: data.id, updateBYOKKeyRequest });
  expect(updated.data).toEqual({ ...data, label: 'othe...6789', allowedModels: null });
  expect(await client.byok.delete({ id: data.id })).toEqual({ deleted: true });
});

test('the published client throws its own error classes for 400 and 404', async () => {
  const request = { provider: 'openai' as const, key: 'two words' };
  expect(await thrownBy(client.byok.create({ createBYOKKeyRequest: request }))).toBeInstanceOf(
    BadRequestResponseError,
  );
  expect(await thrownBy(client.byok.get({ id: crypto.randomUUID() }))).toBeInstanceOf(NotFoundResponseError);
});
