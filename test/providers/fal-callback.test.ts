import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import { createProviders } from '../../providers/registry.ts';
import { jsonReply, type Reply, sendReply } from '../../upstream/reply.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { falKeys, signedByFal } from './fal-signature.ts';

const BODY = JSON.stringify({ request_id: 'r1', gateway_request_id: 'r2', status: 'OK', payload: null });
const OTHER = generateKeyPairSync('ed25519').privateKey;
const NOTE = { operationId: 'r1', vendorStatus: 'OK', terminal: true, signed: true };
const MINUTE_MS = 60_000;

let guard: OutboundGuard;
let server: LoopbackServer;
let keys: Reply;
let reads: string[];

beforeAll(async () => {
  guard = createOutboundGuard({ allow: ['127.0.0.0/8'] });
  server = await startLoopbackServer((request, response) => {
    reads.push(request.url ?? '');
    void sendReply(keys, response);
  });
});

afterAll(async () => {
  await guard.close();
  await server.close();
});

/** The parser of a new process, with fal's keys as they are now. */
function newParser(answer = falKeys()) {
  [keys, reads] = [answer, []];
  const rows = [{ slug: 'fal', adapter: 'fal', baseUrl: server.origin }];
  const video = createProviders({ rows, credentials: () => ({}), outbound: guard }).get('fal')?.video;
  return async (body = BODY, headers = signedByFal('r1', body), nowMs = Date.now()) =>
    video?.parseCallback?.({ headers, body: Buffer.from(body), nowMs });
}

describe('a callback of fal', () => {
  test('counts as signed by one of the published keys, which are read once', async () => {
    const parse = newParser();
    expect(await Promise.all([parse(), parse(), parse()])).toEqual([NOTE, NOTE, NOTE]);
    expect(await parse(BODY.replace('OK', 'ERROR'))).toEqual({ ...NOTE, vendorStatus: 'ERROR' });
    expect(reads).toEqual(['/.well-known/jwks.json']);
  });

  const signature = signedByFal('r1', BODY);
  test.each<[string, string, Record<string, string>]>([
    ['another body', `${BODY} `, signature],
    ['the key of another', BODY, signedByFal('r1', BODY, { key: OTHER })],
    ['an old timestamp', BODY, signedByFal('r1', BODY, { at: Date.now() - 6 * MINUTE_MS })],
    ['a timestamp to come', BODY, signedByFal('r1', BODY, { at: Date.now() + 6 * MINUTE_MS })],
    ['another user', BODY, { ...signature, 'x-fal-webhook-user-id': 'user-2' }],
    ['a short signature', BODY, { ...signature, 'x-fal-webhook-signature': 'ab' }],
    ['no signature', BODY, {}],
    ['no JSON', '{', signedByFal('r1', '{')],
    ['no request', '{}', signedByFal('r1', '{}')],
  ])('counts as not_authentic with %s', async (_, body, headers) => {
    expect(await newParser()(body, headers)).toBe('not_authentic');
  });

  test('makes the keys be read again when they do not fit, once a minute', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const parse = newParser(jsonReply(200, { keys: [publicKey.export({ format: 'jwk' })] }));
    expect(await parse()).toBe('not_authentic');
    keys = falKeys();
    expect(await parse()).toBe('not_authentic');
    expect(reads).toHaveLength(1);
    expect(await parse(BODY, signedByFal('r1', BODY), Date.now() + MINUTE_MS)).toEqual(NOTE);
    expect(reads).toHaveLength(2);
  });

  test.each<[string, Reply]>([
    ['an error', jsonReply(503, {})],
    ['no keys', jsonReply(200, { keys: [] })],
    ['text', { ...jsonReply(200, {}), body: Buffer.from('<html>') }],
    ['more than keys', jsonReply(200, { keys: ['x'.repeat(100_000)] })],
    ['a redirect', jsonReply(302, {}, { location: '/elsewhere' })],
  ])('counts as unsigned when the keys are %s, which is asked once a minute', async (_, answer) => {
    const parse = newParser(answer);
    expect(await parse()).toEqual({ ...NOTE, signed: false });
    expect(await parse()).toEqual({ ...NOTE, signed: false });
    expect(reads).toHaveLength(1);
  });

  test('stays signed by the known keys for a day when they cannot be read', async () => {
    const parse = newParser();
    await parse();
    keys = jsonReply(503, {});
    const inHours = (hours: number) => {
      const at = Date.now() + hours * 60 * MINUTE_MS;
      return parse(BODY, signedByFal('r1', BODY, { at }), at);
    };
    expect(await inHours(23)).toEqual(NOTE);
    expect(await inHours(25)).toEqual({ ...NOTE, signed: false });
  });
});
