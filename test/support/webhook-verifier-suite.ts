/** Tests an example that verifies webhooks, in any language, against the published library. */
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

export interface WebhookToVerify {
  secret: string;
  headers: Record<string, string>;
  body: string;
  now: Date;
}

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const now = new Date('2026-11-24T12:00:00Z');
const body = '{"type":"video.generation.completed","name":"Ørsted"}';

export function testWebhookVerifier(verify: (webhook: WebhookToVerify) => boolean | Promise<boolean>): void {
  test('accepts an event that the published library signed', async () => {
    expect(await verify({ secret, headers: signed(), body, now })).toBe(true);
  });

  test('accepts an event that the old and the new secret signed', async () => {
    const other = signed(now, otherSecret);
    const both = `${other['webhook-signature']} ${signed()['webhook-signature']}`;
    const headers = { ...signed(), 'webhook-signature': both };
    expect(await verify({ secret, headers, body, now })).toBe(true);
  });

  test.each([
    ['another body', { body: '{}' }],
    ['another secret', { secret: otherSecret }],
    ['another id', { headers: { ...signed(), 'webhook-id': 'msg_2' } }],
    ['an old event', { headers: signed(new Date(now.getTime() - 301_000)) }],
    ['an event of the future', { headers: signed(new Date(now.getTime() + 301_000)) }],
    ['a timestamp that is no number', { headers: { ...signed(), 'webhook-timestamp': 'now' } }],
    ['a short signature', { headers: { ...signed(), 'webhook-signature': 'v1,abcd' } }],
    ['a signature that is no ASCII', { headers: { ...signed(), 'webhook-signature': 'v1,é' } }],
    ['no headers', { headers: {} }],
  ])('refuses %s', async (_name, change) => {
    expect(await verify({ secret, headers: signed(), body, now, ...change })).toBe(false);
  });
}

function signed(at = now, by = secret): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at.getTime() / 1_000),
    'webhook-signature': new Webhook(by).sign('msg_1', at, body),
  };
}
