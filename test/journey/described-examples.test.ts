/** Sends every example of the published description to a gateway with the catalog of `npm start`. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Example, OperationDefinition } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { addIntern, addPersonalKey } from '../support/daemon.ts';
import { makeDestination } from '../support/destinations.ts';
import { addGroup, makeMapping } from '../support/directory.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makeIntern } from '../support/interns.ts';
import { addCredential, addDraft } from '../support/own-resources.ts';
import { createScimClient, makeScimToken, userOf } from '../support/scim.ts';

type Id = keyof typeof operations;

/** The callbacks of providers carry a token or a signature, which no example can. */
const SIGNED: readonly Id[] = ['receiveJobCallback', 'receiveProviderCallback'];

let gateway: Gateway;
/** Ids in examples, and what they stand for here. */
const real: Record<string, string> = {};
/** The path of each operation with examples, with real ids, and the key to send. */
let subjects: Partial<Record<Id, [path: string | (() => Promise<string>), key: string]>>;

beforeAll(async () => {
  gateway = await startGateway({
    worker: ['broadcast', 'provider-io', 'video', 'webhooks'],
    bootstrap: { entitlements: ['private_endpoints', 'interns'] },
  });
  subjects = { ...(await ownSubjects()), ...(await directorySubjects()), ...(await internSubjects()) };
});
afterAll(() => gateway.close());

async function created(path: string, body: object, key = gateway.managementKey): Promise<{ id: string }> {
  const answer = await createCaller(gateway.origin, key).call('POST', path, { body });
  return ((await answer.json()) as { data: { id: string } }).data;
}

async function ownSubjects(): Promise<typeof subjects> {
  const { managementKey, workspaceId, database } = gateway;
  const manager = createCaller(gateway.origin, managementKey);
  const { id: classifier } = await created('/classifiers', { name: 'Subjects' });
  const { id: workspace } = await created('/workspaces', { name: 'Moved', slug: 'moved' });
  const { rows } = await database.query<{ id: string }>('select id from users');
  const answer = await createCaller(gateway.origin, gateway.apiKey).call('POST', '/chat/completions', {
    body: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] },
  });
  Object.assign(real, {
    '3f6d1f0e-8f58-4c0b-9a3c-1f7c2f0b7a10': classifier,
    '4c2f3c9e-3a53-4ad8-8d0c-7f3f1c1c2a10': workspace,
    '6f2c1d9a-4b7e-4c55-9a42-1f0a8e6d3b21': workspaceId,
    '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11': workspaceId,
    'sk-slc-EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE': managementKey,
    user_2b8XQ1mZr7KcW4tYp0LdVn3E: rows[0]!.id,
    'gen-1767225600000-a1B2c3D4e5F6g7H8i9J0': ((await answer.json()) as { id: string }).id,
  });
  await created('/presets/reviewer/messages', { model: 'local/echo-1', max_tokens: 5 });
  await created('/end-users', { user: 'a-customer' });
  const langfuse = operations.createObservabilityDestination.body.examples.langfuse.value;
  const { id: destination } = await created('/observability/destinations', langfuse);
  const { id: receiver } = await makeDestination(manager);
  const draft = await addDraft(gateway, { base_url: 'http://127.0.0.1:1/v1' });
  const credential = await addCredential(gateway, 'a-customers-key', { provider_slug: 'local' });
  const of = (paths: Partial<Record<Id, string>>) =>
    Object.fromEntries(Object.entries(paths).map(([id, path]) => [id, [path, managementKey]]));
  return of({
    updateClassifier: `/classifiers/${classifier}`,
    addClassifierTags: `/classifiers/${classifier}/tags`,
    createPresetFromMessages: '/presets/code-reviewer/messages',
    createPresetFromChatCompletion: '/presets/code-reviewer/chat/completions',
    createPresetFromResponse: '/presets/code-reviewer/responses',
    updatePreset: '/presets/reviewer',
    updateKey: `/keys/${(await addKey(gateway)).hash}`,
    updateEndUser: '/end-users/a-customer',
    updateWorkspace: `/workspaces/${workspace}`,
    addWorkspaceMembers: `/workspaces/${workspace}/members/add`,
    removeWorkspaceMembers: `/workspaces/${workspace}/members/remove`,
    setWorkspaceBudget: `/workspaces/${workspace}/budgets/monthly`,
    testWebhook: `/workspaces/${workspace}/webhook/test`,
    replayWebhooks: `/workspaces/${workspace}/webhook/replay`,
    updateObservabilityDestination: `/observability/destinations/${destination}`,
    replayObservabilityDeadLetters: `/observability/destinations/${receiver}/dead-letters/replay`,
    updatePrivateEndpoint: `/private-endpoints/${draft}`,
    setPrivateEndpointPricing: `/private-endpoints/${draft}/pricing`,
    validatePrivateEndpoint: `/private-endpoints/${draft}/validate`,
    updateByokKey: `/byok/${credential}`,
  });
}

async function directorySubjects(): Promise<typeof subjects> {
  const { managementKey, workspaceId } = gateway;
  const { token } = await makeScimToken(gateway);
  const client = createScimClient(gateway, token);
  const make = async (folder: string, body: object): Promise<string> =>
    (await client.call('POST', folder, body)).body.id;
  const [user, group] = [await make('/Users', userOf()), await make('/Groups', { displayName: 'Old' })];
  /** The person or group that the example of its creation made, whose name no other one can have. */
  const ofExample = async (folder: string, filter: string): Promise<string> => {
    const { body } = await client.call('GET', `${folder}?filter=${encodeURIComponent(filter)}`);
    return `/scim/v2${folder}/${body.Resources[0].id}`;
  };
  const mapped = await addGroup(gateway);
  const mapping = await makeMapping(createCaller(gateway.origin, managementKey), mapped, workspaceId);
  Object.assign(real, {
    '0f6f1a52-2d1f-4f2a-9a0e-6a3f0b7c9d11': user,
    'c2d6b0f4-51a7-4e0b-9a63-1d8f7e2c4b95': await addGroup(gateway),
  });
  return {
    createProvisionedUser: ['/scim/v2/Users', token],
    replaceProvisionedUser: [() => ofExample('/Users', 'userName eq "ada@example.com"'), token],
    patchProvisionedUser: [`/scim/v2/Users/${user}`, token],
    createProvisionedGroup: ['/scim/v2/Groups', token],
    replaceProvisionedGroup: [() => ofExample('/Groups', 'displayName eq "Research"'), token],
    patchProvisionedGroup: [`/scim/v2/Groups/${group}`, token],
    updateScimGroupMapping: [`/scim/group-mappings/${mapping.id}`, managementKey],
  };
}

async function internSubjects(): Promise<typeof subjects> {
  const { apiKey } = gateway;
  const caller = createCaller(gateway.origin, apiKey);
  const [{ id }, lender, doomed] = [
    await makeIntern(caller),
    await makeIntern(caller),
    await makeIntern(caller),
  ];
  real['d0c3a1b9-4e6f-4c1d-9b7a-2f8e5d6c7b8a'] = lender.vault_id;
  for (const name of ['stripe_key', 'github_token']) {
    const body = { value: 'a secret value', hosts: ['api.example.com'] };
    await caller.call('PUT', `/vault/secrets/${name}`, { body });
  }
  const { token } = await addPersonalKey(gateway);
  const signed = await addIntern(gateway);
  return {
    updateIntern: [`/interns/${id}`, apiKey],
    deleteIntern: [`/interns/${doomed.id}`, apiKey],
    setInternStatus: [`/interns/${id}/status`, gateway.managementKey],
    attachVault: [`/interns/${id}/attached-vault`, apiKey],
    createInternKey: [`/interns/${id}/keys`, apiKey],
    storeVaultSecret: ['/vault/secrets/stripe', apiKey],
    storeInternVaultSecret: [`/vault/interns/${id}/secrets/stripe`, apiKey],
    copyVaultSecretsToIntern: [`/vault/interns/${id}/secrets/copy`, apiKey],
    signDaemonRequest: [`/interns/${signed}/daemon/sign`, token],
    signDaemonAccess: [`/interns/${signed}/daemon-access/sign`, token],
  };
}

const all: [string, OperationDefinition][] = Object.entries(operations);
const examples = all
  .filter(([id]) => !SIGNED.includes(id as Id))
  .flatMap(([id, operation]) =>
    Object.entries(operation.body?.examples ?? {}).map(
      ([name, example]) => [id as Id, name, operation, example] as [Id, string, OperationDefinition, Example],
    ),
  );

test.each(examples)('%s answers its example %s with a success', async (id, _name, operation, { value }) => {
  const { method, path: template, access, base } = operation;
  const ofAccess = access === 'management' ? gateway.managementKey : gateway.apiKey;
  const [place, key] = subjects[id] ?? [template, ofAccess];
  const path = typeof place === 'string' ? place : await place();
  let body = JSON.stringify(value);
  for (const [shown, here] of Object.entries(real)) body = body.replaceAll(shown, here);
  const response = await fetch(`${gateway.origin}${base === 'root' ? '' : '/api/v1'}${path}`, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  const answer = await response.text();
  // Shows the refusal if there is one.
  expect(response.ok ? '' : answer).toBe('');
});
