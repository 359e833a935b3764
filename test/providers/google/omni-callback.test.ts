import { describe, expect, test } from '@jest/globals';
import { createProviders } from '../../../providers/registry.ts';
import { signed, WEBHOOK_SECRET } from '../replicate-upstream.ts';
import { signedByGoogle } from './video-jobs.ts';

const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
const event = (type: string, id: unknown = 'v1_a') => ({ type, version: 'v1', data: { id, status: 'x' } });
const EVENT = event('interaction.completed');
const BODY = JSON.stringify(EVENT);
const NOTE = { operationId: 'v1_a', vendorStatus: 'interaction.completed', terminal: true, signed: false };

function videoWith(webhookSecret?: string) {
  const rows = [{ slug: 'google', adapter: 'google', baseUrl: 'https://generativelanguage.test/v1beta' }];
  const credentials = () => (webhookSecret === undefined ? {} : { webhookSecret });
  return createProviders({ rows, credentials, outbound }).get('google')?.video;
}

function parse(body: string, headers: Record<string, string>, webhookSecret?: string) {
  const callback = { headers, body: Buffer.from(body), nowMs: Date.now() };
  return videoWith(webhookSecret)?.parseCallback?.(callback);
}

describe('a callback of Google', () => {
  test.each([
    ['interaction.completed', true],
    ['interaction.failed', true],
    ['interaction.cancelled', true],
    ['interaction.requires_action', true],
    ['video.generated', true],
    ['batch.succeeded', false],
  ])('reports %s as terminal: %s', (type, terminal) => {
    const note = parse(JSON.stringify(event(type)), signedByGoogle('v1_a', event(type)));
    expect(note).toEqual({ ...NOTE, vendorStatus: type, terminal });
  });

  test('names an interaction by its id or with its collection', () => {
    expect(parse(JSON.stringify({ ...EVENT, data: { id: 'interactions/v1_a' } }), {})).toEqual(NOTE);
  });

  const own = signed(WEBHOOK_SECRET, 'v1_a', BODY);
  test.each<[string, string, Record<string, string>, string | undefined, object | string]>([
    [
      'signed by the secret of a webhook of the project',
      BODY,
      own,
      WEBHOOK_SECRET,
      { ...NOTE, signed: true },
    ],
    ['not_authentic with a wrong signature of that kind', `${BODY} `, own, WEBHOOK_SECRET, 'not_authentic'],
    ['unsigned when there is no secret', BODY, own, undefined, NOTE],
    // Only its address proves it.
    ['unsigned with a JWT', BODY, signedByGoogle('v1_a', EVENT), WEBHOOK_SECRET, NOTE],
  ])('counts as %s', (_, body, headers, secret, note) => {
    expect(parse(body, headers, secret)).toEqual(note);
    expect(videoWith(secret)?.checksSignatures).toBe(secret !== undefined);
  });

  test.each(['', 'null', '[]', '{}', '{"type":"interaction.completed"}', '{"type":1,"data":{"id":"a"}}'])(
    'counts as not_authentic when the body is no event: %s',
    (body) => {
      expect(parse(body, signed(WEBHOOK_SECRET, 'v1_a', body), WEBHOOK_SECRET)).toBe('not_authentic');
    },
  );
});
