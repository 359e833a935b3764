import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createEncryption } from '../../platform/encryption.ts';
import { sealConfig } from '../../services/broadcast/sealed-config.ts';
import { addWorkspace } from '../support/accounts.ts';
import { generationsIn } from '../support/broadcast-scene.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { getDestination, makeDestination, updateDestination } from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';

interface Result {
  passed: boolean;
  status: number | null;
  text: string;
}

let gateway: Gateway;
let manager: Caller;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  receiver = await startReceiver();
});

afterEach(() => {
  receiver.answers.splice(0, receiver.answers.length, { status: 200 });
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

async function testOf(id: string): Promise<Result> {
  const response = await manager.call('POST', `/observability/destinations/${id}/test`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Result }).data;
}

function langfuse(): object {
  const baseUrl = new URL(receiver.url).origin;
  return { publicKey: 'pk-lf-0123456789', secretKey: 'sk-lf-0123456789', baseUrl };
}

async function makeLangfuse(fields: object = {}): Promise<string> {
  const { workspaceId } = await addWorkspace(gateway);
  const draft = { workspace_id: workspaceId, config: langfuse(), ...fields };
  return (await makeDestination(manager, draft, 'langfuse')).id;
}

async function makeWebhook(fields: object = {}): Promise<string> {
  const { workspaceId } = await addWorkspace(gateway);
  const draft = { workspace_id: workspaceId, config: { url: receiver.url }, ...fields };
  return (await makeDestination(manager, draft)).id;
}

async function receivedDuring(work: () => Promise<unknown>): Promise<Received[]> {
  const before = receiver.received.length;
  await work();
  return receiver.received.slice(before);
}

describe('the test of a destination', () => {
  test("sends one span in the type's format, and passes with a 2xx", async () => {
    receiver.answers.splice(0, 1, { status: 202, body: 'thank you' });
    const id = await makeLangfuse({ config: { ...langfuse(), headers: { 'x-team': 'search' } } });
    const sent = await receivedDuring(async () => {
      expect(await testOf(id)).toEqual({ passed: true, status: 202, text: 'thank you' });
    });
    expect(sent).toHaveLength(1);
    expect(sent[0]!.headers).toMatchObject({ 'content-encoding': 'gzip', 'x-team': 'search' });
    expect(sent[0]!.headers.authorization).toMatch(/^Basic /);
  });

  test('leaves delivery state and list of deliveries unchanged when it fails', async () => {
    receiver.answers.splice(0, 1, { status: 500 });
    const id = await makeLangfuse();
    const before = await getDestination(manager, id);
    expect(await testOf(id)).toMatchObject({ passed: false, status: 500 });
    expect(await getDestination(manager, id)).toEqual(before);
    const deliveries = await manager.call('GET', `/observability/destinations/${id}/deliveries`);
    expect(await deliveries.json()).toEqual({ data: [], total_count: 0 });
  });

  test('works for a disabled destination', async () => {
    const id = await makeLangfuse({ enabled: false });
    expect(await testOf(id)).toEqual({ passed: true, status: 200, text: '' });
  });

  test('uses the latest configuration', async () => {
    const other = await startReceiver();
    const id = await makeWebhook();
    await updateDestination(manager, id, { config: { url: other.url } });
    expect(await receivedDuring(() => testOf(id))).toEqual([]);
    expect(other.received).toHaveLength(1);
    await other.close();
  });

  test.each([
    [{ status: 401, body: 'bad key' }, 401, 'bad key'],
    [{ status: 400, body: 'bad span' }, 400, 'bad span'],
    [
      { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      302,
      'The tool redirects to another address, and redirects are not followed (302).',
    ],
    [{ status: 500, body: 'x'.repeat(10_000) }, 500, 'x'.repeat(1_024)],
    [{ status: 503 }, 503, 'The tool answered 503.'],
    [{ status: 403, body: 'not with sk-lf-0123456789' }, 403, 'not with [secret]'],
  ])('fails after the answer %j, and shows status and text', async (answer, status, text) => {
    receiver.answers.splice(0, 1, answer);
    const id = await makeLangfuse();
    expect(await testOf(id)).toEqual({ passed: false, status, text });
  });

  test('answers 200 with the reason when the connection is refused', async () => {
    const nobody = await startReceiver();
    await nobody.close();
    const id = await makeWebhook({ config: { url: nobody.url } });
    const result = await testOf(id);
    expect(result).toMatchObject({ passed: false, status: null });
    expect(result.text).toContain('ECONNREFUSED');
  });

  test('reaches no address that the guard refuses', async () => {
    const id = await makeWebhook();
    const encryption = createEncryption(gateway.config.encryption);
    // A host that was public when it was saved may lead elsewhere later.
    const config = { url: 'http://10.0.0.1/hook', method: 'POST' };
    const { configSealed } = sealConfig(encryption, id, { type: 'webhook', config });
    await gateway.database.query('update observability_destinations set config_sealed = $2 where id = $1', [
      id,
      configSealed,
    ]);
    expect(await testOf(id)).toEqual({
      passed: false,
      status: null,
      text: 'The URL leads to an address that is not allowed.',
    });
  });

  test("ends the tool's request when the caller disconnects", async () => {
    const left = Promise.withResolvers<void>();
    const leave = new AbortController();
    receiver.answers.splice(0, 1, (connection) => {
      connection.once('close', () => left.resolve());
      leave.abort();
    });
    const id = await makeWebhook();
    const startedAtMs = performance.now();
    const asked = fetch(`${gateway.origin}/api/v1/observability/destinations/${id}/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.managementKey}` },
      signal: leave.signal,
    });
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    await left.promise;
    // The tool would have had ten seconds.
    expect(performance.now() - startedAtMs).toBeLessThan(8_000);
  });
});

describe('the test of a webhook', () => {
  test("sends an empty payload with x-test-connection, signed with the workspace's secret", async () => {
    const id = await makeWebhook({ workspace_id: gateway.workspaceId });
    const [sent, ...more] = await receivedDuring(async () => {
      expect(await testOf(id)).toMatchObject({ passed: true, status: 200 });
    });
    expect(more).toEqual([]);
    expect(sent!.headers['x-test-connection']).toBe('true');
    expect(generationsIn(sent!.body)).toEqual([]);
    const headers = sent!.headers as Record<string, string>;
    expect(new Webhook(gateway.webhookSecret).verify(sent!.body, headers)).toEqual({ resourceSpans: [] });
  });

  test('passes with 400, and fails with 422', async () => {
    receiver.answers.splice(0, 1, { status: 400, body: 'no spans' });
    expect(await testOf(await makeWebhook())).toEqual({ passed: true, status: 400, text: 'no spans' });
    receiver.answers.splice(0, 1, { status: 422, body: 'no spans' });
    expect(await testOf(await makeWebhook())).toMatchObject({ passed: false, status: 422 });
  });
});
