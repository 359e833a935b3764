import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../examples/verify-webhook/verify-webhook.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const now = new Date('2026-11-24T12:00:00Z');
const body = '{"type":"video.generation.completed"}';

function signed(at = now, by = secret): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at.getTime() / 1_000),
    'webhook-signature': new Webhook(by).sign('msg_1', at, body),
  };
}

test('takes an event that the published library signed', () => {
  expect(verifyWebhook({ secret, headers: signed(), body, now })).toBe(true);
});

test('takes an event that the old and the new secret signed', () => {
  const other = signed(now, `whsec_${Buffer.alloc(32, 8).toString('base64')}`);
  const both = `${other['webhook-signature']} ${signed()['webhook-signature']}`;
  expect(verifyWebhook({ secret, headers: { ...signed(), 'webhook-signature': both }, body, now })).toBe(
    true,
  );
});

test.each([
  ['another body', { body: '{}' }],
  ['another secret', { secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }],
  ['another id', { headers: { ...signed(), 'webhook-id': 'msg_2' } }],
  ['an old event', { headers: signed(new Date(now.getTime() - 301_000)) }],
  ['an event of the future', { headers: signed(new Date(now.getTime() + 301_000)) }],
  ['a timestamp that is no number', { headers: { ...signed(), 'webhook-timestamp': 'now' } }],
  ['a short signature', { headers: { ...signed(), 'webhook-signature': 'v1,abcd' } }],
  ['no headers', { headers: {} }],
])('refuses %s', (_name, change) => {
  expect(verifyWebhook({ secret, headers: signed(), body, now, ...change })).toBe(false);
});
