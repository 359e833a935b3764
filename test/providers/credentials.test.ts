/** Checks the credentials of Bedrock: which objects are taken, and how the keys behind them are found and renewed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addressOf, readCredential } from '../../providers/credentials.ts';
import { requireCredentials } from '../../services/catalog/require-credentials.ts';
import { AWS_KEYS, refuse } from '../support/bedrock-cloud.ts';
import { eventually } from '../support/eventually.ts';
import { startVendorServer, type VendorServer } from '../support/vendor-server.ts';
import { newContext } from './connected-adapters.ts';
import { newRequest, setUpBedrock } from './bedrock-under-test.ts';
import { failureOf } from './text-adapter-under-test.ts';

const { region, accessKeyId, secretAccessKey, sessionToken } = AWS_KEYS;
const KEYS = { region, accessKeyId, secretAccessKey };
const ROLE = { region, roleArn: 'arn:aws:iam::123456789012:role/gateway' };
const read = (fields: object, owner: 'operator' | 'customer' = 'operator') =>
  readCredential('bedrock', JSON.stringify(fields), owner);

describe('a credential of Bedrock', () => {
  test.each<[string, object]>([
    ['a pair of keys', KEYS],
    ['keys with a session', AWS_KEYS],
    ['an API key', { region, apiKey: 'ABSK1' }],
    ['a role with keys', { ...ROLE, ...KEYS, externalId: 'x' }],
  ])('has the address of its region for %s of operators and customers', (_, fields) => {
    for (const owner of ['operator', 'customer'] as const)
      expect(read(fields, owner)).toMatchObject({
        baseUrl: `https://bedrock-runtime.${region}.amazonaws.com`,
      });
  });

  test.each<[string, object]>([
    ['a profile', { region, profile: 'work' }],
    ['a role', ROLE],
    ['a token of a pod', { ...ROLE, webIdentityTokenFile: '/var/run/token' }],
    ['the environment', { region, source: 'environment' }],
  ])('may be an identity of the machine, such as %s, for the operator only', (_, fields) => {
    expect(read(fields)).toMatchObject({ fields });
    expect(read(fields, 'customer')).toMatch(/^must contain its own secret/);
  });

  test.each<[string, string]>([
    ['{"region":', 'must be a JSON object'],
    [
      '{}',
      'must have the field region; must have the field accessKeyId; must have the field secretAccessKey',
    ],
    [JSON.stringify({ ...KEYS, secretAccessKey: undefined }), 'must have the field secretAccessKey'],
    [JSON.stringify({ ...KEYS, region: 'evil.example/' }), 'region: must be a region such as us-east-1'],
    [JSON.stringify({ ...KEYS, secretKey: 'x' }), 'Unrecognized key: "secretKey"'],
    [JSON.stringify({ ...ROLE, roleArn: 'admin' }), 'roleArn: must be the ARN of a role'],
  ])('names the wrong field of %s', (key, rule) => {
    expect(readCredential('bedrock', key, 'operator')).toBe(rule);
    expect(addressOf('bedrock', key, 'https://vpc.example')).toBeNull();
  });

  test('prevents the start, and the error names variable and field but no value', () => {
    const start = (apiKey: string, baseUrl?: string) => () =>
      requireCredentials((slug) => (slug === 'bedrock' ? { apiKey, ...(baseUrl && { baseUrl }) } : {}));
    expect(start(JSON.stringify({ region, accessKeyId, secretAccessKey: '' }))).toThrow(
      /PROVIDER_BEDROCK_API_KEY secretAccessKey: must consist of visible ASCII characters/,
    );
    expect(start('ABSK1')).toThrow('PROVIDER_BEDROCK_API_KEY must be a JSON object, because');
    expect(start('ABSK1', 'https://vpc.example')).not.toThrow();
    expect(start(JSON.stringify(KEYS))).not.toThrow();
  });
});

describe('keys that are found', () => {
  const bedrock = setUpBedrock();
  const given = { ...process.env };
  let folder: string;
  let sts: VendorServer;
  let expiresInMs = 3_600_000;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-aws-'));
    await writeFile(path.join(folder, 'token'), 'token-of-the-pod');
    const profile = `[work]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\naws_session_token=${sessionToken}\n`;
    await writeFile(path.join(folder, 'credentials'), profile);
    sts = await startVendorServer(({ body }, response) => sendKeys(new URLSearchParams(body), response));
    process.env['AWS_ENDPOINT_URL_STS'] = sts.origin;
    process.env['AWS_SHARED_CREDENTIALS_FILE'] = path.join(folder, 'credentials');
    process.env['AWS_CONFIG_FILE'] = path.join(folder, 'none');
  });
  afterEach(() => {
    expiresInMs = 3_600_000;
    sts.calls.length = 0;
  });
  afterAll(async () => {
    process.env = given;
    await sts.close();
    await rm(folder, { recursive: true });
  });

  /** Answers as AWS's token service does, for the one role and the one token. */
  function sendKeys(asked: URLSearchParams, response: ServerResponse): void {
    const action = asked.get('Action');
    const isKnown =
      asked.get('RoleArn') === ROLE.roleArn &&
      (action === 'AssumeRole' || asked.get('WebIdentityToken') === 'token-of-the-pod');
    response.setHeader('content-type', 'text/xml');
    if (!isKnown) {
      const error = '<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>No.</Message></Error>';
      response.writeHead(403).end(`<ErrorResponse>${error}</ErrorResponse>`);
      return;
    }
    const keys = `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken>`;
    const until = `<Expiration>${new Date(Date.now() + expiresInMs).toISOString()}</Expiration>`;
    const result = `<${action}Result><Credentials>${keys}${until}</Credentials></${action}Result>`;
    response.end(
      `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</${action}Response>`,
    );
  }

  const chatWith = (credential: object) => bedrock.provider(JSON.stringify(credential)).chat;
  const answered = { choices: [{ message: { content: 'Hello' } }] };

  test.each<[string, () => object, string | undefined]>([
    ['a profile', () => ({ region, profile: 'work' }), undefined],
    ['a role, with its own keys', () => ({ ...ROLE, ...KEYS, externalId: 'x-1' }), 'AssumeRole'],
    [
      'a token of a pod',
      () => ({ ...ROLE, webIdentityTokenFile: path.join(folder, 'token') }),
      'AssumeRoleWithWebIdentity',
    ],
  ])('sign requests for %s, and are fetched once', async (_, credential, action) => {
    const chat = chatWith(credential());
    const ask = () => chat.complete(newRequest(), newContext());
    expect(await Promise.all([ask(), ask()])).toMatchObject([answered, answered]);
    expect(await ask()).toMatchObject(answered);
    const actions = sts.calls.map(({ body }) => new URLSearchParams(body).get('Action'));
    expect(actions).toEqual(action === undefined ? [] : [action]);
  });

  test('come from the environment of the process', async () => {
    process.env['AWS_ACCESS_KEY_ID'] = accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey;
    process.env['AWS_SESSION_TOKEN'] = sessionToken;
    const chat = chatWith({ region, source: 'environment' });
    expect(await chat.complete(newRequest(), newContext())).toMatchObject(answered);
  });

  test('get replaced before they expire', async () => {
    expiresInMs = 60_000;
    const chat = chatWith({ ...ROLE, ...KEYS });
    for (let i = 0; i < 2; i += 1) await chat.complete(newRequest(), newContext());
    await eventually('the new keys', async () => (sts.calls.length === 2 ? true : undefined));
  });

  test('stay out of the errors in which AWS repeats them', async () => {
    const words = `The canonical string was x-amz-security-token:${sessionToken} ${secretAccessKey}`;
    bedrock.cloud.answer = (_, response) => refuse(response, 400, 'ValidationException', words);
    const chat = chatWith({ region, profile: 'work' });
    const { publicMessage, cause } = await failureOf(chat.complete(newRequest(), newContext()));
    const text = `${publicMessage} ${String(cause)}`;
    expect([text.includes(sessionToken), text.includes(secretAccessKey)]).toEqual([false, false]);
  });

  test('fail as unauthorized if AWS refuses them, and no request is sent', async () => {
    const chat = chatWith({ ...ROLE, ...KEYS, roleArn: `${ROLE.roleArn}-2` });
    const error = await failureOf(chat.complete(newRequest(), newContext()));
    expect(error).toMatchObject({ code: 'unauthorized', sent: false });
    expect(`${String(error.cause)}`).toContain('AccessDenied');
    expect(bedrock.cloud.calls).toEqual([]);
  });
});
