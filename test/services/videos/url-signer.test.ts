import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createUrlSigner } from '../../../services/videos/url-signer.ts';

const PATH = '/api/v1/videos/gen-vid-1-aaaaaaaaaaaaaaaaaaaa/outputs/0';
const NOW_SECONDS = 1_800_000_000;
const now = () => NOW_SECONDS * 1_000;
const key = randomBytes(32);
const signer = createUrlSigner([key], now);

function parse(query: string): { expires: string; signature: string } {
  const params = new URLSearchParams(query);
  return { expires: params.get('expires')!, signature: params.get('signature')! };
}

describe('a signed path', () => {
  test('opens before its expiry and expires from then on', () => {
    expect(signer.verify(PATH, parse(signer.sign(PATH, NOW_SECONDS + 1)))).toBe('ok');
    expect(signer.verify(PATH, parse(signer.sign(PATH, NOW_SECONDS)))).toBe('expired');
  });

  test('needs no escaping in a URL', () => {
    for (let n = 0; n < 100; n += 1) {
      expect(signer.sign(`${PATH}${n}`, NOW_SECONDS)).toMatch(/^expires=\d+&signature=[\w-]{43}$/);
    }
  });

  test('opens no other path', () => {
    const query = parse(signer.sign(PATH, NOW_SECONDS + 60));
    for (const other of [`${PATH}0`, PATH.replace(/0$/, '1'), PATH.toUpperCase(), `${PATH}/`, '']) {
      expect(signer.verify(other, query)).toBe('bad');
    }
  });

  test('cannot move a line break from its path into its expiry', () => {
    const query = parse(signer.sign('/a\n18', NOW_SECONDS + 60));
    expect(signer.verify('/a', { ...query, expires: `18\n${query.expires}` })).toBe('bad');
  });

  test.each<[name: string, change: Partial<{ expires: string; signature: string }>]>([
    ['a later time', { expires: String(NOW_SECONDS + 61) }],
    ['a time spelled otherwise', { expires: `0${NOW_SECONDS + 60}` }],
    ['a time that is no number', { expires: 'Infinity' }],
    ['an endless time', { expires: '9'.repeat(400) }],
    ['no time', { expires: '' }],
    ['no signature', { signature: '' }],
    ['a signature of another length', { signature: 'AAAA' }],
    ['a signature that is no base64', { signature: '!'.repeat(43) }],
  ])('fails as bad with %s', (_name, change) => {
    const query = parse(signer.sign(PATH, NOW_SECONDS + 60));
    expect(signer.verify(PATH, { ...query, ...change })).toBe('bad');
  });

  test('fails as bad when expires or signature is missing', () => {
    const { expires, signature } = parse(signer.sign(PATH, NOW_SECONDS + 60));
    expect([signer.verify(PATH, { expires }), signer.verify(PATH, { signature })]).toEqual(['bad', 'bad']);
  });

  test('fails as bad with any changed character of its signature, spare bits included', () => {
    const { expires, signature } = parse(signer.sign(PATH, NOW_SECONDS + 60));
    for (let at = 0; at < signature.length; at += 1) {
      const other = signature[at] === 'A' ? 'B' : 'A';
      const altered = signature.slice(0, at) + other + signature.slice(at + 1);
      expect(signer.verify(PATH, { expires, signature: altered })).toBe('bad');
    }
    // 43 characters hold two bits more than the signature has: four spellings of the same bytes.
    const spellings = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      .split('')
      .map((last) => signature.slice(0, -1) + last)
      .filter((spelling) => signer.verify(PATH, { expires, signature: spelling }) === 'ok');
    expect(spellings).toEqual([signature]);
  });
});

describe('the rotation of signing keys', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];

  test('keeps links of an older key valid and signs new ones with the current key', () => {
    const link = parse(createUrlSigner([older], now).sign(PATH, NOW_SECONDS + 60));
    const rotated = createUrlSigner([newer, older], now);
    expect(rotated.verify(PATH, link)).toBe('ok');
    const fresh = parse(rotated.sign(PATH, NOW_SECONDS + 60));
    expect(createUrlSigner([newer], now).verify(PATH, fresh)).toBe('ok');
  });

  test('invalidates the links of a removed key', () => {
    const link = parse(createUrlSigner([older], now).sign(PATH, NOW_SECONDS + 60));
    expect(createUrlSigner([newer], now).verify(PATH, link)).toBe('bad');
  });
});

test('a signer without a key throws', () => {
  expect(() => createUrlSigner([])).toThrow('at least one key');
});
