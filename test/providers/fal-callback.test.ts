import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { jsonReply, type Reply } from '../../upstream/reply.ts';
import { falKeys, KEYS_PATH, signedByFal, startFalUpstream } from './fal-upstream.ts';
import { setUpProvider } from './provider-under-test.ts';

const BODY = JSON.stringify({ request_id: 'r1', gateway_request_id: 'r2', status: 'OK', payload: null });
const OTHER = generateKeyPairSync('ed25519');
const NOTE = { operationId: 'r1', vendorStatus: 'OK', terminal: true, signed: true };
const MINUTE_MS = 60_000;

const fal = setUpProvider('fal', startFalUpstream);
const countReads = () => fal.client.upstream.requests().filter(({ path }) => path === KEYS_PATH).length;

/** A new process, with fal's keys as they are now, and the number of its requests for them. */
function newProcess(keys = falKeys()) {
  const before = countReads();
  const { video } = fal.provider();
  fal.client.answers.keys = keys;
  const parse = async (body = BODY, headers = signedByFal('r1', body), nowMs = Date.now()) =>
    video?.parseCallback?.({ headers, body: Buffer.from(body), nowMs });
  return { parse, reads: () => countReads() - before };
}

describe('a callback of fal', () => {
  test('counts as signed by one of the published keys, which are read once', async () => {
    const { parse, reads } = newProcess();
    expect(await Promise.all([parse(), parse(), parse()])).toEqual([NOTE, NOTE, NOTE]);
    expect(await parse(BODY.replace('OK', 'ERROR'))).toEqual({ ...NOTE, vendorStatus: 'ERROR' });
    expect(reads()).toBe(1);
  });

  const signature = signedByFal('r1', BODY);
  test.each<[string, string, Record<string, string>]>([
    ['another body', `${BODY} `, signature],
    ['the key of another', BODY, signedByFal('r1', BODY, { key: OTHER.privateKey })],
    ['an old timestamp', BODY, signedByFal('r1', BODY, { at: Date.now() - 6 * MINUTE_MS })],
    ['a timestamp to come', BODY, signedByFal('r1', BODY, { at: Date.now() + 6 * MINUTE_MS })],
    ['another user', BODY, { ...signature, 'x-fal-webhook-user-id': 'user-2' }],
    ['a short signature', BODY, { ...signature, 'x-fal-webhook-signature': 'ab' }],
    ['no signature', BODY, {}],
    ['no JSON', '{', signedByFal('r1', '{')],
    ['no request', '{}', signedByFal('r1', '{}')],
  ])('counts as not_authentic with %s', async (_, body, headers) => {
    expect(await newProcess().parse(body, headers)).toBe('not_authentic');
  });

  test('makes the keys be read again when they do not fit, once a minute', async () => {
    const { parse, reads } = newProcess(
      jsonReply(200, { keys: [OTHER.publicKey.export({ format: 'jwk' })] }),
    );
    expect(await parse()).toBe('not_authentic');
    fal.client.answers.keys = falKeys();
    expect(await parse()).toBe('not_authentic');
    expect(reads()).toBe(1);
    expect(await parse(BODY, signedByFal('r1', BODY), Date.now() + MINUTE_MS)).toEqual(NOTE);
    expect(reads()).toBe(2);
  });

  test.each<[string, Reply]>([
    ['an error', jsonReply(503, {})],
    ['no keys', jsonReply(200, { keys: [] })],
    ['text', { ...jsonReply(200, {}), body: Buffer.from('<html>') }],
    ['more than keys', jsonReply(200, { keys: ['x'.repeat(100_000)] })],
    ['a redirect', jsonReply(302, {}, { location: '/elsewhere' })],
  ])('counts as unsigned when the keys are %s, which is asked once a minute', async (_, answer) => {
    const { parse, reads } = newProcess(answer);
    expect(await parse()).toEqual({ ...NOTE, signed: false });
    expect(await parse()).toEqual({ ...NOTE, signed: false });
    expect(reads()).toBe(1);
  });

  test('stays signed by the known keys for a day when they cannot be read', async () => {
    const { parse } = newProcess();
    await parse();
    fal.client.answers.keys = jsonReply(503, {});
    const inHours = (hours: number) => {
      const at = Date.now() + hours * 60 * MINUTE_MS;
      return parse(BODY, signedByFal('r1', BODY, { at }), at);
    };
    expect(await inHours(23)).toEqual(NOTE);
    expect(await inHours(25)).toEqual({ ...NOTE, signed: false });
  });
});
