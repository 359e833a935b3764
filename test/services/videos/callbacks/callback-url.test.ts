import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  createCallbackTokens,
  createCallbackUrl,
} from '../../../../services/videos/callbacks/callback-url.ts';

const [older, current] = [randomBytes(32), randomBytes(32)];
const tokens = createCallbackTokens([current, older]);

describe('a callback token', () => {
  const token = tokens.issue('replicate', 'job-1');

  test('fits its own job and provider only', () => {
    expect(tokens.verify('replicate', 'job-1', token)).toBe(true);
    expect(tokens.verify('replicate', 'job-2', token)).toBe(false);
    expect(tokens.verify('fal', 'job-1', token)).toBe(false);
  });

  test('stays valid after a rotation while its key is configured', () => {
    const early = createCallbackTokens([older]).issue('replicate', 'job-1');
    expect(early).not.toBe(token);
    expect(tokens.verify('replicate', 'job-1', early)).toBe(true);
    expect(createCallbackTokens([current]).verify('replicate', 'job-1', early)).toBe(false);
  });

  test.each(['', 'x', `${'x'.repeat(43)}`, `${token}=`, `${token} `, token.toUpperCase(), token.slice(1)])(
    'fails its verification when it is forged as %j',
    (forged) => {
      expect(tokens.verify('replicate', 'job-1', forged)).toBe(false);
    },
  );
});

describe('a callback URL', () => {
  const address = (publicUrl: string, isProduction: boolean) =>
    createCallbackUrl({ publicUrl, isProduction, tokens })('replicate', 'job-1');

  test('lies below the public URL and carries the token', () => {
    expect(address('https://gateway.example/sluice', true)).toBe(
      `https://gateway.example/sluice/api/v1/provider-callbacks/replicate/job-1?token=${tokens.issue('replicate', 'job-1')}`,
    );
  });

  test.each([
    ['https://gateway.example', true, true],
    ['http://gateway.example', true, false],
    ['http://gateway.example', false, false],
    ['http://127.0.0.1:8080', true, false],
    ['http://127.0.0.1:8080', false, true],
    ['http://localhost:8080', false, true],
    ['http://[::1]:8080', false, true],
    ['http://localhost.example', false, false],
    ['http://127.example', false, false],
  ])('exists at %s (production: %s): %s', (publicUrl, isProduction, given) => {
    expect(address(publicUrl, isProduction) !== undefined).toBe(given);
  });
});
