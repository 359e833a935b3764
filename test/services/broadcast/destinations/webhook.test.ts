import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  sendToDestination,
  testDestination,
} from '../../../../services/broadcast/destinations/send-to-destination.ts';
import { newWebhookSecret } from '../../../../services/webhooks/signature.ts';
import { closeAfterEach } from '../../../platform/outbound-setup.ts';
import { batchOf, depsWith, doorTo, NEVER, startTool } from './fake-tool.ts';
import type { FakeTool, ToolRequest } from './fake-tool.ts';
import { makeSpan } from './make-span.ts';

closeAfterEach();

function destinationAt(
  tool: FakeTool,
  method: 'POST' | 'PUT' = 'POST',
  headers: Record<string, string> = {},
) {
  return { type: 'webhook', config: { url: `${tool.origin}/hook?team=1`, method, headers } } as const;
}

function verify(secret: string, { body, headers }: ToolRequest): unknown {
  return new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>);
}

describe('a webhook batch', () => {
  test.each(['POST', 'PUT'] as const)('goes by %s to the configured path with its query', async (method) => {
    const tool = await startTool(() => ({ status: 204 }));
    await sendToDestination(destinationAt(tool, method), batchOf(), depsWith(doorTo(tool)), NEVER);
    const [{ query, ...request }] = tool.received as [ToolRequest];
    expect(request).toMatchObject({ method, path: '/hook' });
    expect(query.get('team')).toBe('1');
  });

  test('carries a signature for every workspace secret, which configured headers cannot replace', async () => {
    const tool = await startTool(() => ({ status: 204 }));
    const webhookSecrets = [newWebhookSecret(), newWebhookSecret()];
    const deps = depsWith(doorTo(tool), { webhookSecrets, now: Date.now });
    const destination = destinationAt(tool, 'POST', { 'Webhook-Id': 'forged', 'Webhook-Signature': 'v1,x' });
    await sendToDestination(destination, batchOf(makeSpan({ name: 'größer' })), deps, NEVER);
    for (const secret of webhookSecrets) {
      expect(verify(secret, tool.received[0]!)).toHaveProperty('resourceSpans');
    }
    expect(() => verify(newWebhookSecret(), tool.received[0]!)).toThrow();
  });

  test('has an id and no signature when the workspace has no secrets', async () => {
    const tool = await startTool(() => ({ status: 204 }));
    await sendToDestination(destinationAt(tool), batchOf(), depsWith(doorTo(tool)), NEVER);
    expect(tool.received[0]?.headers['webhook-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(tool.received[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  test('keeps its webhook-id when it is repeated', async () => {
    const tool = await startTool(() => ({ status: 503 }));
    const batch = batchOf();
    for (const each of [batch, batch, { ...batch, id: 'batch-2' }]) {
      await sendToDestination(destinationAt(tool), each, depsWith(doorTo(tool)), NEVER);
    }
    const ids = tool.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});

describe('the connection test of a webhook', () => {
  test('sends an empty payload with the header x-test-connection', async () => {
    const tool = await startTool(() => ({ status: 200, body: 'hello' }));
    const secret = newWebhookSecret();
    const deps = depsWith(doorTo(tool), { webhookSecrets: [secret], now: Date.now });
    const answer = await testDestination(destinationAt(tool), deps, NEVER);
    expect(answer).toEqual({ passed: true, status: 200, text: 'hello' });
    expect(tool.received[0]?.headers['x-test-connection']).toBe('true');
    expect(verify(secret, tool.received[0]!)).toEqual({ resourceSpans: [] });
  });

  test.each([
    [204, true],
    [400, true],
    [401, false],
    [422, false],
    [302, false],
    [500, false],
  ])('turns the status %d into passed: %p', async (status, passed) => {
    const tool = await startTool(() => ({ status }));
    const answer = await testDestination(destinationAt(tool), depsWith(doorTo(tool)), NEVER);
    expect(answer).toMatchObject({ passed, status });
  });
});
