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

describe('a callback of Replicate', () => {
  test.each([
    ['starting', false],
    ['processing', false],
    ['succeeded', true],
    ['failed', true],
    ['canceled', true],
    ['aborted', true],
    ['a-word-to-come', false],
  ])('reports the status %s as terminal: %s', (status, terminal) => {
    const note: CallbackNote = { operationId: 'p1', vendorStatus: status, terminal, signed: false };
    expect(parse(JSON.stringify({ id: 'p1', status }), {})).toEqual(note);
  });

  test('counts as signed with a valid signature', () => {
    const body = JSON.stringify({ id: 'p1', status: 'succeeded' });
    const note = parse(body, signed(WEBHOOK_SECRET, 'p1', body), WEBHOOK_SECRET);
    expect(note).toMatchObject({ operationId: 'p1', signed: true });
  });

  test('counts as not_authentic without a valid signature when a secret is set', () => {
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
  ])('counts as not_authentic when the body is no prediction: %s', (body) => {
    expect(parse(body, signed(WEBHOOK_SECRET, 'p1', body), WEBHOOK_SECRET)).toBe('not_authentic');
    expect(parse(body, {})).toBe('not_authentic');
  });
});
