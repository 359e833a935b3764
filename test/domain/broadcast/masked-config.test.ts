import { describe, expect, test } from '@jest/globals';
import { type AnyConfig, maskConfig, restoreSecrets } from '../../../domain/broadcast/masked-config.ts';

const TYPE = 'datadog';
const LONG = 'abcd-0123456789-wxyz';

const config = {
  apiKey: LONG,
  token: 'short',
  baseUrl: 'https://tool.example/secret/v1',
  modelId: 'a',
  headers: { 'X-Team': 'team-0123456789-6789' },
};

function storedAs(stored: AnyConfig): { config: AnyConfig; shown: AnyConfig } {
  return { config: stored, shown: maskConfig(TYPE, stored) };
}

test('maskConfig masks secrets, header values and secret parts of URLs only', () => {
  expect(maskConfig(TYPE, config)).toEqual({
    apiKey: 'abcd...wxyz',
    token: '...',
    baseUrl: 'https://tool.example/.../v1',
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
])('maskConfig masks the field %s', (field) => {
  expect(maskConfig(TYPE, { [field]: LONG })).toEqual({ [field]: 'abcd...wxyz' });
});

describe('a mask in a new configuration', () => {
  const unknown = 'looks like a masked secret: send the secret itself';

  test("keeps the stored secret, and a header's by its name in either case", () => {
    const masked = maskConfig(TYPE, config);
    const next = { ...masked, modelId: 'b', headers: { 'x-team': 'team...6789', 'x-new': 'n' } };
    expect(restoreSecrets(storedAs(config), next)).toEqual({
      config: { ...config, modelId: 'b', headers: { 'x-team': 'team-0123456789-6789', 'x-new': 'n' } },
      issues: [],
    });
  });

  test('may be one that an earlier rule for masks has shown', () => {
    const stored = { config, shown: { ...config, apiKey: '...', baseUrl: 'https://tool.example/...' } };
    const next = { ...config, apiKey: '...', baseUrl: 'https://tool.example/...' };
    expect(restoreSecrets(stored, next)).toEqual({ config, issues: [] });
  });

  test.each(['host', 'url', 'baseUrl', 'endpoint', 'otlpEndpoint', 'account', 'region', 'bucketName'])(
    'fails when %s changes, is added or is left out',
    (field) => {
      const message = 'must be sent again in full, because the address or account changes';
      const issues = [{ path: ['apiKey'], message }];
      const [a, b] = ['https://a.example', 'https://b.example'];
      const mask = { apiKey: 'abcd...wxyz' };
      const stored = storedAs({ apiKey: LONG, [field]: a });
      expect(restoreSecrets(stored, { ...mask, [field]: b }).issues).toEqual(issues);
      expect(restoreSecrets(storedAs({ apiKey: LONG }), { ...mask, [field]: b }).issues).toEqual(issues);
      expect(restoreSecrets(stored, mask).issues).toEqual(issues);
      expect(restoreSecrets(stored, { apiKey: LONG, [field]: b }).issues).toEqual([]);
    },
  );

  test('fails when it belongs to another secret or to none', () => {
    const stored = storedAs(config);
    expect(restoreSecrets(stored, { ...config, apiKey: '...' }).issues).toEqual([
      { path: ['apiKey'], message: unknown },
    ]);
    expect(restoreSecrets(stored, { ...config, headers: { other: '...' } }).issues).toEqual([
      { path: ['headers', 'other'], message: unknown },
    ]);
    expect(restoreSecrets(stored, { ...config, sessionToken: '...' }).issues).toHaveLength(1);
    expect(restoreSecrets(null, { apiKey: 'abcd...wxyz' }).issues).toHaveLength(1);
    expect(restoreSecrets(null, { baseUrl: 'https://tool.example/...' }).issues).toEqual([
      { path: ['baseUrl'], message: unknown },
    ]);
  });
});
