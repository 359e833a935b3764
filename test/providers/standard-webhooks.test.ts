import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyStandardWebhook } from '../../providers/standard-webhooks.ts';
import { signed, WEBHOOK_SECRET } from './replicate-upstream.ts';

const BODY = '{"id":"p1","status":"succeeded","input":{"prompt":"Größe ✓"}}';
const OTHER_SECRET = `whsec_${Buffer.from('another secret, as long as it').toString('base64')}`;
const SECOND_MS = 1000;

type Headers = Record<string, string>;

function ours(headers: Headers, body = BODY, nowMs = Date.now()): boolean {
  return verifyStandardWebhook(WEBHOOK_SECRET, { headers, body: Buffer.from(body), nowMs });
}

function oracle(headers: Headers, body = BODY): boolean {
  try {
    new Webhook(WEBHOOK_SECRET).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

const genuine = signed(WEBHOOK_SECRET, 'p1', BODY);
const byAnother = signed(OTHER_SECRET, 'p1', BODY);
const without = (name: string): Headers =>
  Object.fromEntries(Object.entries(genuine).filter(([key]) => key !== name));
const at = (offsetSeconds: number): Headers =>
  signed(WEBHOOK_SECRET, 'p1', BODY, new Date(Date.now() + offsetSeconds * SECOND_MS));

describe('verifyStandardWebhook', () => {
  test.each<[string, Headers, string, boolean]>([
    ['genuine', genuine, BODY, true],
    ['a byte of the body changed', genuine, BODY.replace('p1', 'p2'), false],
    ['an empty body', genuine, '', false],
    ['by another secret', byAnother, BODY, false],
    ['another id', { ...genuine, 'webhook-id': 'msg_p2' }, BODY, false],
    [
      'another time',
      { ...genuine, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 5) },
      BODY,
      false,
    ],
    ['no id', without('webhook-id'), BODY, false],
    ['no time', without('webhook-timestamp'), BODY, false],
    ['no signature', without('webhook-signature'), BODY, false],
    ['an empty signature', { ...genuine, 'webhook-signature': '' }, BODY, false],
    ['a signature of another version', replaceIn(genuine, 'v1,', 'v2,'), BODY, false],
    ['a shortened signature', replaceIn(genuine, /.{4}$/, ''), BODY, false],
    ['the right one behind a wrong one', listed(byAnother, genuine), BODY, true],
    ['the right one before a wrong one', listed(genuine, byAnother), BODY, true],
    ['four minutes old', at(-240), BODY, true],
    ['six minutes old', at(-360), BODY, false],
    ['from four minutes ahead', at(240), BODY, true],
    ['from six minutes ahead', at(360), BODY, false],
  ])('agrees with the reference implementation: %s', (_, headers, body, verdict) => {
    expect(oracle(headers, body)).toBe(verdict);
    expect(ours(headers, body)).toBe(verdict);
  });

  test('rejects a time that is no number, like the reference implementation', () => {
    const odd = { ...genuine, 'webhook-timestamp': 'now' };
    expect([oracle(odd), ours(odd)]).toEqual([false, false]);
  });

  test('accepts a time 300 seconds off and rejects 301', () => {
    const sentMs = Number(genuine['webhook-timestamp']) * SECOND_MS;
    expect(ours(genuine, BODY, sentMs + 300 * SECOND_MS)).toBe(true);
    expect(ours(genuine, BODY, sentMs + 301 * SECOND_MS)).toBe(false);
    expect(ours(genuine, BODY, sentMs - 300 * SECOND_MS)).toBe(true);
    expect(ours(genuine, BODY, sentMs - 301 * SECOND_MS)).toBe(false);
  });
});

function replaceIn(headers: Headers, old: string | RegExp, by: string): Headers {
  return { ...headers, 'webhook-signature': headers['webhook-signature']!.replace(old, by) };
}

function listed(...all: Headers[]): Headers {
  return { ...genuine, 'webhook-signature': all.map((headers) => headers['webhook-signature']).join(' ') };
}
