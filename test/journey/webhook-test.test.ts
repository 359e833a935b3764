import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { testWebhookEvent } from '../../contract/webhook-events.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { listDeliveries } from '../support/deliveries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type SilentServer, startSilentServer } from '../support/silent-server.ts';
import { updateWorkspace } from '../support/workspaces.ts';

interface Result {
  url: string;
  passed: boolean;
  status_code: number | null;
  reason: string | null;
  response_excerpt: string | null;
}

let gateway: Gateway;
let manager: Caller;
let receiver: Receiver;
let silent: SilentServer;

beforeAll(async () => {
  [gateway, receiver, silent] = await Promise.all([
    startGateway({ env: { WEBHOOK_TIMEOUT: '2s' } }),
    startReceiver(),
    startSilentServer(),
  ]);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterEach(async () => {
  receiver.answers.splice(0, receiver.answers.length, { status: 204 });
  await updateWorkspace(manager, 'default', { default_callback_url: null, webhook_event_types: null });
});

afterAll(async () => {
  await silent.close();
  await receiver.close();
  await gateway.close();
});

function ask(body?: object, { workspace = 'default', by = manager } = {}): Promise<Response> {
  return by.call('POST', `/workspaces/${workspace}/webhook/test`, {
    ...(body === undefined ? {} : { body }),
    headers: { 'x-request-id': 'tried-1' },
  });
}

async function resultOf(response: Response): Promise<Result> {
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Result }).data;
}

describe('POST /workspaces/{id}/webhook/test', () => {
  test('passes after one signed event, which is not in the delivery log', async () => {
    const before = receiver.received.length;
    expect(await resultOf(await ask({ url: receiver.url }))).toEqual({
      url: receiver.url,
      passed: true,
      status_code: 204,
      reason: null,
      response_excerpt: '',
    });
    const [sent, ...more] = receiver.received.slice(before);
    expect(more).toEqual([]);
    const headers = sent!.headers as Record<string, string>;
    expect(headers['webhook-id']).toBe(`${gateway.workspaceId}-test-tried-1`);
    const event = testWebhookEvent.parse(new Webhook(gateway.webhookSecret).verify(sent!.body, headers));
    expect(event.data).toEqual({ workspace_id: gateway.workspaceId });
    expect(await listDeliveries(manager)).toEqual([]);
  });

  test.each([undefined, {}])(
    'uses the default URL for a body of %j, despite the selected event types',
    async (body) => {
      const settings = { default_callback_url: receiver.url, webhook_event_types: [] };
      await updateWorkspace(manager, 'default', settings);
      expect(await resultOf(await ask(body))).toMatchObject({ url: receiver.url, passed: true });
    },
  );

  test('prefers the URL in the body to the default', async () => {
    await updateWorkspace(manager, 'default', { default_callback_url: 'https://app.example.com/hooks' });
    expect(await resultOf(await ask({ url: receiver.url }))).toMatchObject({
      url: receiver.url,
      passed: true,
    });
  });

  test.each([
    [{ status: 401, body: 'bad signature' }, 401, 'bad signature'],
    [{ status: 410 }, 410, ''],
    [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 302, ''],
    [{ status: 500, body: 'x'.repeat(10_000) }, 500, 'x'.repeat(1_024)],
  ])('reports passed: false with status and excerpt for the answer %j', async (answer, status, excerpt) => {
    receiver.answers.splice(0, 1, answer);
    expect(await resultOf(await ask({ url: receiver.url }))).toEqual({
      url: receiver.url,
      passed: false,
      status_code: status,
      reason: `the receiver answered ${status}`,
      response_excerpt: excerpt,
    });
  });

  test('shows at most 1 KiB of an answer that passes', async () => {
    receiver.answers.splice(0, 1, { status: 200, body: 'y'.repeat(2_000) });
    const { passed, response_excerpt: excerpt } = await resultOf(await ask({ url: receiver.url }));
    expect([passed, excerpt]).toEqual([true, 'y'.repeat(1_024)]);
  });

  test('answers 200 with the reason when the receiver gives no answer', async () => {
    const nobody = await startReceiver();
    await nobody.close();
    const none = { passed: false, status_code: null, response_excerpt: null };
    expect(await resultOf(await ask({ url: nobody.url }))).toMatchObject({
      ...none,
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await resultOf(await ask({ url: `http://${silent.address}/` }))).toMatchObject({
      ...none,
      reason: expect.any(String),
    });
    expect(await resultOf(await ask({ url: 'https://nowhere.invalid/' }))).toMatchObject(none);
  });

  test('sends nothing and gives the reason when the workspace has no secret', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const before = receiver.received.length;
    expect(await resultOf(await ask({ url: receiver.url }, { workspace: workspaceId }))).toMatchObject({
      passed: false,
      status_code: null,
      reason: 'the workspace has no webhook secret',
    });
    expect(receiver.received).toHaveLength(before);
  });

  test('answers 200 with address_not_allowed when the default URL is now forbidden', async () => {
    await gateway.database.query('update workspaces set default_callback_url = $2 where id = $1', [
      gateway.workspaceId,
      'https://10.0.0.1/hook',
    ]);
    expect(await resultOf(await ask())).toMatchObject({ passed: false, reason: 'address_not_allowed' });
  });
});

describe('a refused webhook test', () => {
  test.each([undefined, {}])('answers 400 for a body of %j when there is no default URL', async (body) => {
    const { code, metadata } = await errorOf(await ask(body));
    const message = 'is needed: the workspace has no default_callback_url';
    expect([code, metadata.issues]).toEqual([400, [{ path: 'body.url', message }]]);
  });

  test.each([
    ['hooks', 'absolute http or https URL'],
    ['https://u:p@example.com/', 'user name or password'],
    ['http://example.com/', 'plain http is not allowed'],
    ['https://10.0.0.1/', 'not allowed'],
    ['https://169.254.169.254/latest/meta-data/', 'not allowed'],
  ])('answers 400 for the forbidden or invalid URL %s', async (url, message) => {
    const { code, metadata } = await errorOf(await ask({ url }));
    const issue = { path: 'body.url', message: expect.stringContaining(message) };
    expect([code, metadata.issues]).toEqual([400, [issue]]);
  });

  test('answers 404 for another organization or unknown workspace, 403 to a regular key', async () => {
    const place = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...place, kind: 'management' });
    const stranger = createCaller(gateway.origin, token);
    const before = receiver.received.length;
    for (const workspace of [gateway.workspaceId, 'nowhere']) {
      expect((await errorOf(await ask({ url: receiver.url }, { workspace, by: stranger }))).code).toBe(404);
    }
    const regular = createCaller(gateway.origin, gateway.apiKey);
    expect((await errorOf(await ask({ url: receiver.url }, { by: regular }))).code).toBe(403);
    expect(receiver.received).toHaveLength(before);
  });
});
