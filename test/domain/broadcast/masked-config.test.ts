import { describe, expect, test } from '@jest/globals';
import { maskConfig, restoreSecrets } from '../../../domain/broadcast/masked-config.ts';

const stored = {
  apiKey: 'abcd-0123456789-wxyz',
  token: 'short',
  baseUrl: 'https://tool.example',
  modelId: 'a',
  headers: { 'X-Team': 'team-0123456789-6789' },
};

test('secrets and the values of headers are masked, and nothing else', () => {
  expect(maskConfig(stored)).toEqual({
    apiKey: 'abcd...wxyz',
    token: '...',
    baseUrl: 'https://tool.example',
    modelId: 'a',
    headers: { 'X-Team': 'team...6789' },
  });
});

test.each([
  'apiKey',
  'spaceKey',
  'licenseKey',
  'publicKey',
  'secretKey',
  'token',
  'password',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'dsn',
])('%s is a secret', (field) => {
  expect(maskConfig({ [field]: 'abcd-0123456789-wxyz' })).toEqual({ [field]: 'abcd...wxyz' });
});

describe('a mask in a new configuration', () => {
  test('keeps the stored secret, and that of a header by its name in either case', () => {
    const next = { ...maskConfig(stored), modelId: 'b', headers: { 'x-team': 'team...6789', 'x-new': 'n' } };
    expect(restoreSecrets(stored, next)).toEqual({
      config: { ...stored, modelId: 'b', headers: { 'x-team': 'team-0123456789-6789', 'x-new': 'n' } },
      issues: [],
    });
  });

  test.each(['host', 'url', 'baseUrl', 'endpoint', 'otlpEndpoint', 'account', 'region', 'bucketName'])(
    'is refused if %s changes, is added or is left out',
    (field) => {
      const message = 'must be sent again in full, because the address or account changes';
      const issues = [{ path: ['apiKey'], message }];
      const secret = { apiKey: 'abcd-0123456789-wxyz' };
      const mask = { apiKey: 'abcd...wxyz' };
      expect(restoreSecrets({ ...secret, [field]: 'a' }, { ...mask, [field]: 'b' }).issues).toEqual(issues);
      expect(restoreSecrets(secret, { ...mask, [field]: 'b' }).issues).toEqual(issues);
      expect(restoreSecrets({ ...secret, [field]: 'a' }, mask).issues).toEqual(issues);
      expect(restoreSecrets({ ...secret, [field]: 'a' }, { ...secret, [field]: 'b' }).issues).toEqual([]);
    },
  );

  test('is refused if it is that of another secret, or of none', () => {
    const message = 'looks like a masked secret: send the secret itself';
    expect(restoreSecrets(stored, { ...stored, apiKey: '...' }).issues).toEqual([
      { path: ['apiKey'], message },
    ]);
    expect(restoreSecrets(stored, { ...stored, headers: { other: '...' } }).issues).toEqual([
      { path: ['headers', 'other'], message },
    ]);
    expect(restoreSecrets(stored, { ...stored, sessionToken: '...' }).issues).toHaveLength(1);
    expect(restoreSecrets(null, { apiKey: 'abcd...wxyz' }).issues).toHaveLength(1);
  });
});
