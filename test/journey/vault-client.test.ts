import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ConflictResponseError,
  NotFoundResponseError,
} from '@openrouter/sdk/models/errors';
import { createCaller } from '../support/caller.ts';
import { type Gateway } from '../support/gateway.ts';
import { makeIntern, startInternGateway } from '../support/interns.ts';
import { publishedClient, thrownBy } from '../support/published-client.ts';
import { addSecret, addVault } from '../support/vaults.ts';

let gateway: Gateway;
let client: OpenRouter;
let internId: string;

beforeAll(async () => {
  gateway = await startInternGateway();
  client = publishedClient(gateway, gateway.apiKey);
  internId = (await makeIntern(createCaller(gateway.origin, gateway.apiKey))).id;
});

afterAll(() => gateway.close());

const HOSTS = ['api.example.com'];
test('the published client stores, lists, copies and deletes secrets', async () => {
  const { vault } = client;
  const store = (name: string) =>
    vault.storeVaultSecret({ name, vaultSecretWriteRequest: { value: `value of ${name}`, hosts: HOSTS } });
  const { data: first } = await store('first');
  expect(first).toEqual({
    name: 'first',
    hosts: HOSTS,
    fingerprint: expect.stringMatching(/^sha256:/),
    createdAt: expect.any(Date),
  });
  const { data: second } = await store('second');
  expect(await vault.listVaultSecrets()).toEqual({ data: [first, second], hasMore: false });
  expect(await vault.listVaultSecrets({ limit: 1, offset: 0 })).toEqual({ data: [first], hasMore: true });

  const { data: own } = await vault.storeInternVaultSecret({
    internId,
    name: 'own',
    vaultSecretWriteRequest: { value: 'x', hosts: HOSTS },
  });
  const vaultSecretCopyRequest = { names: ['second', 'first'] };
  const { data: copies } = await vault.copyVaultSecretsToIntern({ internId, vaultSecretCopyRequest });
  expect(copies.map(({ name }) => name)).toEqual(['second', 'first']);
  expect((await vault.listInternVaultSecrets({ internId })).data).toEqual([copies[1], own, copies[0]]);

  await vault.deleteVaultSecret({ name: 'first' });
  await vault.deleteInternVaultSecret({ internId, name: 'own' });
  expect((await vault.listVaultSecrets()).data).toEqual([second]);
  expect((await vault.listInternVaultSecrets({ internId })).data).toHaveLength(2);
});

test('the published client throws its own error classes for 400, 404 and 409', async () => {
  const { vault } = client;
  const vaultSecretWriteRequest = { value: 'x', hosts: ['*.example.com'] };
  expect(await thrownBy(vault.storeVaultSecret({ name: 'a', vaultSecretWriteRequest }))).toBeInstanceOf(
    BadRequestResponseError,
  );
  expect(await thrownBy(vault.deleteVaultSecret({ name: 'unknown' }))).toBeInstanceOf(NotFoundResponseError);
  await addSecret(gateway, await addVault(gateway, { organizationId: gateway.organizationId }), 'old');
  const vaultSecretCopyRequest = { names: ['old'] };
  expect(await thrownBy(vault.copyVaultSecretsToIntern({ internId, vaultSecretCopyRequest }))).toBeInstanceOf(
    ConflictResponseError,
  );
  expect((await vault.listVaultSecrets()).data).toContainEqual({
    name: 'old',
    hosts: null,
    fingerprint: null,
    createdAt: expect.any(Date),
  });
});
