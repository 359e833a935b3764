import { describe, expect, test } from '@jest/globals';
import type { CallbackNote } from '../../providers/video-adapter.ts';
import { createProviders } from '../../providers/registry.ts';
import { signed, WEBHOOK_SECRET } from './replicate-upstream.ts';

const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };

function parse(body: string, headers: Record<string, string>, webhookSecret?: string) {
  const rows = [{ slug: 'replicate', adapter: 'replicate', baseUrl: 'https://api.replicate.test/v1' }];
  const credentials = () => (webhookSecret === undefined ? {} : { webhookSecret });
  const video = createProviders({ rows, credentials, outbound }).get('replicate')?.video;
  return video?.parseCallback?.({ headers, body: Buffer.from(body), nowMs: Date.now() });
}

describe('a callback', () => {
  test.each([
    ['starting', false],
    ['processing', false],
    ['succeeded', true],
    ['failed', true],
    ['canceled', true],
    ['aborted', true],
    ['a-word-to-come', false],
  ])('that says %s is terminal: %s', (status, terminal) => {
    const note: CallbackNote = { operationId: 'p1', vendorStatus: status, terminal, signed: false };
    expect(parse(JSON.stringify({ id: 'p1', status }), {})).toEqual(note);
  });

  test('with the right signature is signed', () => {
    const body = JSON.stringify({ id: 'p1', status: 'succeeded' });
    const note = parse(body, signed(WEBHOOK_SECRET, 'p1', body), WEBHOOK_SECRET);
    expect(note).toMatchObject({ operationId: 'p1', signed: true });
  });

  test('without a signature that was to be checked is not authentic', () => {
    const body = JSON.stringify({ id: 'p1', status: 'succeeded' });
    expect(parse(body, {}, WEBHOOK_SECRET)).toBe('not_authentic');
    expect(parse(`${body} `, signed(WEBHOOK_SECRET, 'p1', body), WEBHOOK_SECRET)).toBe('not_authentic');
  });

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '{"id":"p1"}',
    '{"id":"../p","status":"succeeded"}',
    '{"id":1,"status":2}',
  ])('that is no prediction (%s) is not authentic', (body) => {
    expect(parse(body, signed(WEBHOOK_SECRET, 'p1', body), WEBHOOK_SECRET)).toBe('not_authentic');
    expect(parse(body, {})).toBe('not_authentic');
  });
});
