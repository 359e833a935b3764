import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { newUuid } from '../../domain/ids.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type ModelServer, sendJson, startModelServer } from '../support/model-server.ts';
import { addDraft } from '../support/own-resources.ts';
import { CLOSED_PORT, startReplica } from '../support/replica.ts';

let gateway: Gateway;
let manager: Caller;
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  gateway = await startGateway({
    worker: ['provider-io'],
    bootstrap: { entitlements: ['private_endpoints'] },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await gateway.close();
  await server.close();
});

afterEach(() => server.reset());

function validate(id: string, body: object = { workspace_id: gateway.workspaceId }, caller = manager) {
  return caller.call('POST', `/private-endpoints/${id}/validate`, { body });
}

const newEndpoint = (): Promise<string> => addDraft(gateway, { base_url: server.baseUrl });

describe('POST /private-endpoints/{id}/validate', () => {
  test('answers 200 with six passed checks for a working deployment', async () => {
    const response = await validate(await newEndpoint());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      data: {
        passed: true,
        checks: [
          { name: 'base_url_allowed', passed: true },
          { name: 'credential_ok', passed: true },
          { name: 'model_answers', passed: true },
          { name: 'stream_ok', passed: true },
          { name: 'usage_reported', passed: true },
          { name: 'parameters_ok', passed: true },
        ],
      },
    });
  });

  test('answers 200 with the checks up to the first failure', async () => {
    server.faults.whole = (response) => sendJson(response, 429, { error: { message: 'Slow down' } });
    const response = await validate(await newEndpoint());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      data: {
        passed: false,
        checks: [
          { name: 'base_url_allowed', passed: true },
          { name: 'credential_ok', passed: true },
          {
            name: 'model_answers',
            passed: false,
            reason: 'upstream_error',
            upstream_message: 'Slow down',
            upstream_status: 429,
          },
        ],
      },
    });
  });

  test('appears in the list of the organization, the newest first, and in no other', async () => {
    const id = await newEndpoint();
    await validate(id);
    server.faults.whole = (response) => sendJson(response, 429, { error: { message: 'Slow down' } });
    await validate(id);
    const response = await manager.call('GET', '/private-endpoint-validations?limit=2');
    expect(response.status).toBe(200);
    const common = { endpoint_id: id, workspace_id: gateway.workspaceId, model_permaslug: 'local/echo-1' };
    expect(await response.json()).toMatchObject({
      data: [
        { ...common, state: 'failed', checks: [{}, {}, { passed: false, upstream_message: 'Slow down' }] },
        { ...common, state: 'passed', checks: [{}, {}, {}, {}, {}, { name: 'parameters_ok' }] },
      ],
    });
    const other = await addOrganization(gateway);
    const entitle = `update organizations set entitlements = '{private_endpoints}' where id = $1`;
    await gateway.database.query(entitle, [other.organizationId]);
    const { token } = await addKey(gateway, { ...other, kind: 'management' });
    const others = await createCaller(gateway.origin, token).call('GET', '/private-endpoint-validations');
    expect(await others.json()).toEqual({ data: [], total_count: 0 });
  });

  test('keeps the endpoint a draft, and adds an audit row', async () => {
    const id = await newEndpoint();
    await validate(id);
    const { rows } = await gateway.database.query(
      `select status, action, key_hash is not null has_key from private_endpoints e
       join audit_log a on a.target = 'private-endpoints/' || e.id where e.id = $1`,
      [id],
    );
    expect(rows).toEqual([{ status: 'draft', action: 'validatePrivateEndpoint', has_key: true }]);
  });

  test('runs once for two concurrent requests', async () => {
    const id = await newEndpoint();
    const answers = await Promise.all([validate(id), validate(id)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(server.received.filter(({ call }) => call === 'whole')).toHaveLength(1);
  });

  test('answers 400 to a missing or malformed workspace', async () => {
    const id = await newEndpoint();
    for (const body of [{}, { workspace_id: 'default' }, { workspace_id: null }]) {
      expect((await validate(id, body)).status).toBe(400);
    }
  });

  test('answers 422 workspace_not_found to a foreign or unknown workspace', async () => {
    const id = await newEndpoint();
    const other = await addOrganization(gateway);
    for (const workspace_id of [newUuid(), other.workspaceId]) {
      const response = await validate(id, { workspace_id });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        error: { message: 'Invalid argument', metadata: { reason: 'workspace_not_found' } },
      });
    }
    expect(server.received).toEqual([]);
  });

  test('answers 404 to a foreign, deleted, unknown or malformed endpoint id', async () => {
    const { organizationId } = await addOrganization(gateway);
    const foreign = await addDraft(gateway, { organization_id: organizationId });
    const deleted = await newEndpoint();
    await gateway.database.query('update private_endpoints set deleted_at = now() where id = $1', [deleted]);
    for (const id of [foreign, deleted, newUuid(), 'nothing']) expect((await validate(id)).status).toBe(404);
  });

  test('requires a management key first, and the entitlement second', async () => {
    const id = await newEndpoint();
    const other = await addOrganization(gateway);
    const { token } = await addKey(gateway, { kind: 'management', ...other });
    const errorOf = async (key: string) =>
      (await (await validate(id, undefined, createCaller(gateway.origin, key))).json()) as object;
    expect(await errorOf(gateway.apiKey)).toMatchObject({
      error: { code: 403, message: 'Only management keys can perform this operation' },
    });
    expect(await errorOf(token)).toMatchObject({
      error: { code: 403, metadata: { reason: 'entitlement_required' } },
    });
  });

  test('answers 503 while Temporal is unreachable, and the next request starts a run', async () => {
    const id = await newEndpoint();
    const cutOff = await startReplica(gateway, ({ temporal }) => ({
      temporal: { ...temporal, address: CLOSED_PORT },
    }));
    const answer = await validate(id, undefined, createCaller(cutOff.origin, gateway.managementKey));
    expect(answer.status).toBe(503);
    await cutOff.close();
    expect((await validate(id)).status).toBe(200);
  });

  test('answers 408 after 25 seconds, and the run continues to its result', async () => {
    const id = await newEndpoint();
    await gateway.stopWorker();
    const response = await validate(id);
    expect(response.status).toBe(408);
    expect(await response.json()).toMatchObject({
      error: { metadata: { reason: 'validation_running', retryable: true } },
    });
    await gateway.startWorker();
    const joined = await validate(id);
    expect(await joined.json()).toMatchObject({ data: { passed: true } });
    const { rows } = await gateway.database.query(
      'select state from private_endpoint_validations where endpoint_id = $1',
      [id],
    );
    expect(rows).toEqual([{ state: 'passed' }]);
  });
});
