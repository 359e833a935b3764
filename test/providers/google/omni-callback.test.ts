import { describe, expect, test } from '@jest/globals';
import { createProviders } from '../../../providers/registry.ts';
import { signed, WEBHOOK_SECRET } from '../replicate-upstream.ts';
import { signedByGoogle } from './video-replies.ts';

const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
const event = (type: string, id: unknown = 'v1_a') => ({ type, version: 'v1', data: { id, status: 'x' } });
const BODY = JSON.stringify(event('interaction.completed'));
const NOTE = { operationId: 'v1_a', vendorStatus: 'interaction.completed', terminal: true };

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
    expect(note).toEqual({ operationId: 'v1_a', vendorStatus: type, terminal, signed: false });
  });

  test('names an interaction by its id or with its collection', () => {
    const body = JSON.stringify(event('interaction.completed', 'interactions/v1_a'));
    expect(parse(body, {})).toEqual({ ...NOTE, signed: false });
  });

  test('counts as signed by the secret of a webhook of the project', () => {
    expect(parse(BODY, signed(WEBHOOK_SECRET, 'v1_a', BODY), WEBHOOK_SECRET)).toEqual({
      ...NOTE,
      signed: true,
    });
    expect(videoWith(WEBHOOK_SECRET)?.checksSignatures).toBe(true);
    expect(videoWith()?.checksSignatures).toBe(false);
  });

  test('counts as not_authentic with a wrong signature of that kind', () => {
    const headers = signed(WEBHOOK_SECRET, 'v1_a', BODY);
    expect(parse(`${BODY} `, headers, WEBHOOK_SECRET)).toBe('not_authentic');
    expect(parse(BODY, headers)).toEqual({ ...NOTE, signed: false });
  });

  test('counts as unsigned with a JWT, also if there is a secret, so that only its address proves it', () => {
    const headers = signedByGoogle('v1_a', event('interaction.completed'));
    expect(parse(BODY, headers, WEBHOOK_SECRET)).toEqual({ ...NOTE, signed: false });
  });

  test.each(['', 'null', '[]', '{}', '{"type":"interaction.completed"}', '{"type":1,"data":{"id":"a"}}'])(
    'counts as not_authentic when the body is no event: %s',
    (body) => {
      expect(parse(body, signed(WEBHOOK_SECRET, 'v1_a', body), WEBHOOK_SECRET)).toBe('not_authentic');
    },
  );
});
