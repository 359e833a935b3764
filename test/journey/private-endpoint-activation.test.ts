import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AIMOCK_KEY, AIMOCK_QUESTION, type Aimock, startAimock } from '../support/aimock.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { billChat, bringKey, createActivated } from '../support/endpoint-to-bill.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type ModelServer, sendJson, startModelServer } from '../support/model-server.ts';
import { ENTITLED } from '../support/private-endpoints.ts';
import { CLOSED_PORT, startReplica } from '../support/replica.ts';

let gateway: Gateway;
let manager: Caller;
let aimock: Aimock;
let server: ModelServer;

beforeAll(async () => {
  [gateway, aimock, server] = await Promise.all([
    startGateway({ worker: ['provider-io'], bootstrap: ENTITLED }),
    startAimock(),
    startModelServer(),
  ]);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  // First: a process of its own would outlive the suite if another close failed.
  await aimock.close();
  await server.close();
  await gateway.close();
});

const create = (fields: object, caller = manager) =>
  createActivated(gateway, caller, { upstream_model_id: 'gpt-4o', ...fields });

describe('a private endpoint, from its creation to a billed chat', () => {
  test("works on a third-party server with OpenAI's wire format", async () => {
    const address = { base_url: `${aimock.origin}/v1` };
    await bringKey(manager, { provider: 'openai-compatible', key: AIMOCK_KEY, ...address });
    const { status, answer } = await create(address);
    expect({ status, answer }).toMatchObject({ status: 201, answer: { data: { status: 'active' } } });
    await billChat(gateway, answer.data.id, AIMOCK_QUESTION);
  });

  test.each([undefined, '2024-10-21'])(
    'works on Azure OpenAI with the API version %s',
    async (apiVersion) => {
      const key = JSON.stringify({
        api_key: AIMOCK_KEY,
        endpoint_url: aimock.origin,
        ...(apiVersion === undefined ? {} : { api_version: apiVersion }),
      });
      const credentialId = await bringKey(manager, { provider: 'azure', key });
      const { status, answer } = await create({ provider_slug: 'azure', base_url: undefined });
      expect({ status, answer }).toMatchObject({ status: 201, answer: { data: { status: 'active' } } });
      await billChat(gateway, answer.data.id, AIMOCK_QUESTION);
      await manager.call('DELETE', `/byok/${credentialId}`);
    },
  );
});

describe('POST /private-endpoints with activate', () => {
  test('keeps the draft when a check fails, and answers 422 with its checks', async () => {
    server.faults.whole = (response) => sendJson(response, 429, { error: { message: 'Slow down' } });
    const { status, answer } = await create({ base_url: server.baseUrl });
    expect(status).toBe(422);
    expect(answer).toMatchObject({
      error: { code: 422, metadata: { reason: 'upstream_error' } },
      data: { endpoint: { status: 'draft' }, validation: { passed: false } },
    });
    const shown = await manager.call('GET', `/private-endpoints/${answer.data.endpoint.id}`);
    expect(await shown.json()).toMatchObject({
      data: { status: 'draft', validation: { state: 'failed', is_current: true } },
    });
    server.reset();
  });

  test('answers 503 with the draft while Temporal is unreachable', async () => {
    const cutOff = await startReplica(gateway, ({ temporal }) => ({
      temporal: { ...temporal, address: CLOSED_PORT },
    }));
    const caller = createCaller(cutOff.origin, gateway.managementKey);
    const { status, answer } = await create({ base_url: server.baseUrl }, caller);
    await cutOff.close();
    expect({ status, answer }).toMatchObject({
      status: 503,
      answer: {
        error: { code: 503, metadata: { reason: 'unavailable', retryable: true } },
        data: { endpoint: { status: 'draft' }, validation: null },
      },
    });
    const shown = await manager.call('GET', `/private-endpoints/${answer.data.endpoint.id}`);
    expect(await shown.json()).toMatchObject({ data: { status: 'draft', validation: null } });
  });
});
