import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { consoleSessionOperations } from '../../contract/accounts/console-sessions.ts';
import { operations } from '../../contract/operations.ts';
import { addKey } from '../support/accounts.ts';
import { clientsRequests } from '../support/clients-conformity.ts';
import { createCaller } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { auditAnswer } from '../support/contract-audit.ts';
import { daemonRequests } from '../support/daemon-conformity.ts';
import { destinationRequests } from '../support/destination-conformity.ts';
import { succeedInEgress } from '../support/egress-conformity.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { logged } from '../support/generation-reads.ts';
import { internRequests } from '../support/intern-conformity.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { addCredential, addDraft } from '../support/own-resources.ts';
import { addValidation, endpointDraft } from '../support/private-endpoints.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type GoodRequest, scimRequests, syncRequests } from '../support/scim-conformity.ts';
import { vaultRequests } from '../support/vault-conformity.ts';
import { updateWorkspace } from '../support/workspaces.ts';

/** Proven by tokens, signatures and cookies in provider-callback.test.ts and console-sessions.test.ts. */
const ELSEWHERE = ['receiveJobCallback', 'receiveProviderCallback', ...Object.keys(consoleSessionOperations)];

let gateway: Gateway;
let receiver: Receiver;
let job: WireJob;
let deliveryId: string;
let loggedId: string;
let classifierId: string;
let userId: string;

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    startGateway({
      worker: ['broadcast', 'directory', 'provider-io', 'video', 'webhooks'],
      bootstrap: { entitlements: ['private_endpoints', 'interns'] },
    }),
    startReceiver(),
  ]);
  const { id } = await submit(gateway, { callback_url: receiver.url });
  job = await ended(gateway, id);
  deliveryId = await eventually('the delivery', async () => {
    const { rows } = await gateway.database.query<{ id: string }>(
      `select id from webhook_deliveries where status = 'delivered'`,
    );
    return rows[0]?.id;
  });
  loggedId = await logOne();
  classifierId = await makeClassifier();
  const { rows } = await gateway.database.query<{ id: string }>('select id from users');
  userId = rows[0]!.id;
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

/** A generation whose input and output are logged. */
async function logOne(): Promise<string> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: true });
  const { id } = await completed(await askChat(gateway, {}));
  await logged(gateway, id);
  return id;
}

async function makeClassifier(): Promise<string> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const response = await manager.call('POST', '/classifiers', { body: { name: 'Audited' } });
  return ((await response.json()) as { data: { id: string } }).data.id;
}

/** Audits one answer; returns the operation that it is a success of. */
async function succeed(method: string, path: string, key?: string, body?: object): Promise<string> {
  const url = new URL(path, gateway.origin);
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const operation = await auditAnswer(method, url, response);
  const text = await response.text();
  if (operation === undefined) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return operation;
}

async function succeedInTurn(requests: readonly GoodRequest[]): Promise<string[]> {
  const succeeded: string[] = [];
  for (const request of requests) succeeded.push(await succeed(...request));
  return succeeded;
}

describe('a running gateway', () => {
  test('answers each operation of the contract exactly as it is declared', async () => {
    const { apiKey, managementKey, workspaceId } = gateway;
    const base = '/api/v1';
    const { pathname, search } = new URL(job.urls![0]!);
    const stalled = await submit(gateway, {
      provider: { options: { local: { faults: [{ kind: 'stall' }] } } },
    });
    const key = await addKey(gateway);
    const messages = [{ role: 'user', content: 'Hello' }];
    const preset = `${base}/presets/audited`;
    const endpointId = await addDraft(gateway, { base_url: 'http://127.0.0.1:1/v1' });
    const validatedId = await addDraft(gateway, { base_url: 'http://127.0.0.1:1/v1' });
    await addValidation(gateway, validatedId);
    const credentialId = await addCredential(gateway, 'an-audited-key', { provider_slug: 'local' });
    const endpoints = `${base}/private-endpoints`;
    const inWorkspace = { workspace_id: workspaceId };
    const draft = { model: 'local/echo-1', messages };
    const succeeded = [
      await succeed('POST', `${base}/chat/completions`, apiKey, draft),
      await succeed('POST', `${base}/completions`, apiKey, { model: 'local/echo-1', prompt: 'Hello' }),
      await succeed('POST', `${base}/embeddings`, apiKey, { model: 'local/embed-1', input: 'x' }),
      await succeed('POST', `${base}/messages`, apiKey, { ...draft, max_tokens: 20 }),
      await succeed('POST', `${base}/messages/count_tokens`, apiKey, draft),
      await succeed('POST', `${base}/responses`, apiKey, { model: 'local/echo-1', input: 'Hello' }),
      await succeed('POST', `${base}/images`, apiKey, { model: 'local/image-1', prompt: 'x' }),
      await succeed('POST', `${base}/images/generations`, apiKey, { model: 'local/image-1', prompt: 'x' }),
      await succeed('GET', `${base}/models?output_modalities=all`, apiKey),
      await succeed('GET', `${base}/models/count`, apiKey),
      await succeed('GET', `${base}/models/user`, apiKey),
      await succeed('GET', `${base}/model/local/echo-1`, apiKey),
      await succeed('GET', `${base}/models/local/echo-1/endpoints`, apiKey),
      ...(await succeedInTurn(clientsRequests(gateway))),
      await succeed('GET', `${base}/endpoints/zdr`, apiKey),
      await succeed('GET', `${base}/providers`, apiKey),
      await succeed('GET', `${base}/embeddings/models`, apiKey),
      await succeed('GET', `${base}/images/models`, apiKey),
      await succeed('GET', `${base}/images/models/local/image-1/endpoints`, apiKey),
      await succeed('POST', `${base}/audio/speech`, apiKey, { model: 'local/speech-1', input: 'x' }),
      await succeed('POST', `${base}/rerank`, apiKey, {
        model: 'local/rerank-1',
        query: 'x',
        documents: ['x'],
      }),
      await succeed('POST', `${preset}/chat/completions`, managementKey, draft),
      await succeed('POST', `${preset}/messages`, managementKey, { ...draft, max_tokens: 5 }),
      await succeed('POST', `${preset}/responses`, managementKey, { model: 'local/echo-1', input: 'x' }),
      await succeed('GET', `${base}/presets`, managementKey),
      await succeed('GET', preset, managementKey),
      await succeed('GET', `${preset}/versions`, managementKey),
      await succeed('GET', `${preset}/versions/2`, managementKey),
      await succeed('PATCH', preset, managementKey, { name: 'Audited' }),
      await succeed('DELETE', preset, managementKey),
      await succeed('POST', `${base}/videos`, apiKey, { model: 'local/clip-canned', prompt: 'x' }),
      await succeed('GET', `${base}/videos`, apiKey),
      await succeed('GET', `${base}/videos/models`, apiKey),
      await succeed('GET', `${base}/videos/${job.id}`, apiKey),
      await succeed('POST', `${base}/videos/${stalled.id}/cancel`, apiKey),
      await succeed('GET', `${base}/videos/${job.id}/content`, apiKey),
      await succeed('GET', `${base}/videos/${job.id}/timeline`, apiKey),
      await succeed('GET', pathname + search),
      await succeed('GET', `${base}/generation?id=${job.generation_id}`, apiKey),
      await succeed('GET', `${base}/generation/content?id=${loggedId}`, apiKey),
      await succeed('GET', `${base}/generations`, apiKey),
      await succeed('GET', `${base}/key`, apiKey),
      await succeed('POST', `${base}/keys`, managementKey, { name: 'Audited' }),
      await succeed('GET', `${base}/keys`, managementKey),
      await succeed('GET', `${base}/keys/${key.hash}`, managementKey),
      await succeed('PATCH', `${base}/keys/${key.hash}`, managementKey, { name: 'Audited' }),
      await succeed('DELETE', `${base}/keys/${key.hash}`, managementKey),
      await succeed('POST', `${base}/end-users`, managementKey, { user: 'audited' }),
      await succeed('GET', `${base}/end-users`, managementKey),
      await succeed('GET', `${base}/end-users/audited`, managementKey),
      await succeed('PATCH', `${base}/end-users/audited`, managementKey, { is_active: false }),
      await succeed('DELETE', `${base}/end-users/audited`, managementKey),
      await succeed('GET', `${base}/audit-log`, managementKey),
      await succeed('POST', `${base}/analytics/query`, managementKey, {
        metrics: ['request_count', 'latency_p95'],
        dimensions: ['model'],
      }),
      await succeed('GET', `${base}/analytics/meta`, managementKey),
      await succeed('GET', `${base}/activity`, managementKey),
      await succeed('POST', `${base}/classifiers`, managementKey, { name: 'Topics' }),
      await succeed('GET', `${base}/classifiers`, managementKey),
      await succeed('GET', `${base}/classifiers/${classifierId}`, managementKey),
      await succeed('PATCH', `${base}/classifiers/${classifierId}`, managementKey, { name: 'Subjects' }),
      await succeed('POST', `${base}/classifiers/${classifierId}/tags`, managementKey, {
        tags: [{ generation_id: loggedId, dimension: 'topic', value: 'x' }],
      }),
      await succeed('GET', `${base}/credits`, managementKey),
      await succeed('GET', `${base}/datasets/rankings-daily`, apiKey),
      await succeed('GET', `${base}/datasets/app-rankings`, apiKey),
      await succeed('GET', `${base}/organization/members`, managementKey),
      await succeed('GET', `${base}/organization/settings`, managementKey),
      await succeed('PATCH', `${base}/organization/settings`, managementKey, {
        is_filtered_model_catalog_enabled: true,
      }),
      await succeed('GET', `${base}/workspaces`, managementKey),
      await succeed('POST', `${base}/workspaces`, managementKey, { name: 'Audited', slug: 'audited' }),
      await succeed('GET', `${base}/workspaces/audited/members`, managementKey),
      await succeed('POST', `${base}/workspaces/audited/members/add`, managementKey, { user_ids: [userId] }),
      await succeed('POST', `${base}/workspaces/audited/members/remove`, managementKey, {
        user_ids: [userId],
      }),
      await succeed('PUT', `${base}/workspaces/audited/budgets/daily`, managementKey, { limit_usd: 1 }),
      await succeed('GET', `${base}/workspaces/audited/budgets`, managementKey),
      await succeed('GET', `${base}/workspaces/audited/budgets/daily`, managementKey),
      await succeed('DELETE', `${base}/workspaces/audited/budgets/daily`, managementKey),
      await succeed('DELETE', `${base}/workspaces/audited`, managementKey),
      await succeed('GET', `${base}/workspaces/${workspaceId}`, managementKey),
      await succeed('PATCH', `${base}/workspaces/${workspaceId}`, managementKey, { name: 'Renamed' }),
      await succeed('POST', `${base}/workspaces/${workspaceId}/webhook-secret/rotate`, managementKey),
      await succeed('POST', `${base}/workspaces/${workspaceId}/webhook/test`, managementKey, {
        url: receiver.url,
      }),
      await succeed('POST', `${base}/workspaces/${workspaceId}/webhook/replay`, managementKey, {
        since: '2999-01-01T00:00:00Z',
      }),
      await succeed('GET', `${base}/organization/problems`, managementKey),
      await succeed('GET', `${base}/webhooks/deliveries`, managementKey),
      await succeed('POST', `${base}/webhooks/deliveries/${deliveryId}/replay`, managementKey),
      ...(await succeedInTurn(await destinationRequests(gateway, receiver.url, loggedId))),
      await succeed('POST', endpoints, managementKey, endpointDraft()),
      await succeed('GET', endpoints, managementKey),
      await succeed('GET', `${endpoints}/${endpointId}`, managementKey),
      await succeed('PATCH', `${endpoints}/${endpointId}`, managementKey, { upstream_model_id: 'audited' }),
      await succeed('PUT', `${endpoints}/${endpointId}/pricing`, managementKey, {
        pricing: { prompt: '0.000001', completion: '0.000002' },
      }),
      await succeed('POST', `${endpoints}/${endpointId}/validate`, managementKey, inWorkspace),
      await succeed('GET', `${base}/private-endpoint-validations`, managementKey),
      await succeed('POST', `${endpoints}/${validatedId}/activate`, managementKey),
      await succeed('POST', `${endpoints}/${validatedId}/disable`, managementKey),
      await succeed('POST', `${endpoints}/${validatedId}/enable`, managementKey),
      await succeed('DELETE', `${endpoints}/${validatedId}`, managementKey),
      await succeed('POST', `${base}/byok`, managementKey, { provider: 'local', key: 'another-audited-key' }),
      await succeed('GET', `${base}/byok`, managementKey),
      await succeed('GET', `${base}/byok/${credentialId}`, managementKey),
      await succeed('PATCH', `${base}/byok/${credentialId}`, managementKey, { name: 'Audited' }),
      await succeed('DELETE', `${base}/byok/${credentialId}`, managementKey),
      ...(await succeedInTurn(await scimRequests(gateway))),
      ...(await succeedInTurn(await syncRequests(gateway))),
      ...(await succeedInTurn(await internRequests(gateway))),
      ...(await succeedInTurn(await vaultRequests(gateway))),
      ...(await succeedInTurn(await daemonRequests(gateway))),
      ...(await succeedInEgress(gateway)),
      await succeed('GET', '/healthz'),
      await succeed('GET', '/readyz'),
    ];
    expect([...succeeded, ...ELSEWHERE].toSorted()).toEqual(Object.keys(operations).toSorted());
  });
});

describe('the audit of a response', () => {
  const url = new URL('http://gateway.example/api/v1/videos/x');
  const answer = (body: unknown, { status = 200, type = 'application/json; charset=utf-8' } = {}) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': type, 'x-request-id': 'r' } });
  const video = {
    id: 'x',
    polling_url: '/x',
    status: 'pending',
    model: 'local/clip-1',
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: null,
    progress: null,
    waiting: null,
    deadline_at: '2026-01-02T00:00:00.000Z',
    cancel_requested_at: null,
    webhook: null,
  };
  const error = { code: 404, message: 'Resource not found' };

  test.each([
    ['a missing field', answer({ ...video, status: undefined })],
    ['a field of another type', answer({ ...video, id: 7 })],
    ['a field that is not declared', answer({ ...video, secret: 'x' })],
    ['another content type', answer(video, { type: 'text/plain' })],
    ['a status that is not declared', answer({ error: { ...error, code: 402 } }, { status: 402 })],
    ['an error whose code is not its status', answer({ error: { ...error, code: 400 } }, { status: 404 })],
    ['an error with more than the envelope', answer({ error, detail: 'x' }, { status: 404 })],
  ])('rejects %s', async (_name, response) => {
    await expect(auditAnswer('GET', url, response)).rejects.toThrow();
  });

  test('accepts a correct response', async () => {
    expect(await auditAnswer('GET', url, answer(video))).toBe('getVideo');
    expect(await auditAnswer('GET', url, answer({ error }, { status: 404 }))).toBeUndefined();
  });
});
