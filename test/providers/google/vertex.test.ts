/** Checks Gemini on Vertex AI: credentials, tokens and addresses, by stand-ins of both servers. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import { readCredential } from '../../../providers/credentials.ts';
import { placeOf, type VertexCredential } from '../../../providers/google/vertex/credential.ts';
import type { Provider } from '../../../providers/provider.ts';
import { requireCredentials } from '../../../services/catalog/require-credentials.ts';
import { setUpProvider } from '../provider-under-test.ts';
import { chunksOf, failureOf, wordsOf } from '../text-adapter-under-test.ts';
import { eventually } from '../../support/eventually.ts';
import { startVertexUpstream } from './upstream.ts';
import { startTokenServer, SUBJECT_TOKEN, type TokenServer } from './vertex-tokens.ts';

const vertex = setUpProvider('google-vertex', () => startVertexUpstream());
let tokens: TokenServer;
let folder: string;

beforeAll(async () => {
  ({ tokens } = vertex.client);
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-vertex-'));
});
beforeEach(() => {
  tokens.answerWith(undefined);
  tokens.expireIn(3600);
});
afterAll(() => rm(folder, { recursive: true }));

const connect = (apiKey = tokens.serviceAccount()): Provider => vertex.provider(undefined, apiKey);
const REQUEST = { model: 'gemini-3.8-flash', messages: [{ role: 'user', content: 'Hi' }] };
const BUSY = { status: 503, body: {} };
const context = () => vertex.newContext();
const complete = (provider: Provider) => provider.chat!.complete(REQUEST, context());

describe('Gemini on Vertex AI', () => {
  test('answers chats, pictures and speech with one token of a service account', async () => {
    const before = tokens.given();
    const { chat, image, speech } = connect();
    const [whole, chunks] = await Promise.all([
      chat!.complete(REQUEST, context()),
      chat!.stream(REQUEST, context()).then(chunksOf),
    ]);
    expect(whole.choices[0]?.message.content).toBe('You said: Hi');
    expect(wordsOf(chunks)).toBe('You said: Hi');
    const picture = { model: 'm', prompt: 'x', n: 1, references: [], outputFormat: 'png' as const };
    expect((await image!.generate(picture, context())).images).toHaveLength(1);
    const text = { model: 'm', input: 'x', voice: 'Kore', format: 'pcm' as const, references: [] };
    for await (const pieces of (await speech!.speak(text, context())).audio)
      expect(pieces.length).toBeGreaterThan(0);
    expect(tokens.given() - before).toBe(1);
  });

  test.each([
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['default', undefined],
  ])('asks for the tier %s by the header of Vertex AI', async (service_tier, tier) => {
    const chat = connect().chat!;
    const request = { ...REQUEST, service_tier };
    await chat.complete(request, context());
    await chunksOf(await chat.stream(request, context()));
    expect(vertex.client.accepted.slice(-2)).toMatchObject([{ tier }, { tier }]);
  });

  test('gets a new token five minutes before the old one expires', async () => {
    tokens.expireIn(299);
    const before = tokens.given();
    const provider = connect();
    await complete(provider);
    await complete(provider);
    await eventually('the new token', async () => (tokens.given() - before === 2 ? true : undefined));
  });

  const { promise: later, resolve: end } = Promise.withResolvers<void>();
  test.each([
    ['takes long', () => tokens.waitFor(later)],
    ['fails', () => tokens.answerWith(BUSY)],
  ])('goes on with a token that is still valid when its renewal %s', async (_, spoil) => {
    const provider = connect();
    tokens.expireIn(299);
    await complete(provider);
    spoil();
    for (const _call of [1, 2])
      expect((await complete(provider)).choices[0]?.message.content).toBe('You said: Hi');
    end();
  });

  test('fails with a token that has expired when its renewal fails', async () => {
    const provider = connect();
    tokens.expireIn(0);
    await complete(provider);
    tokens.answerWith(BUSY);
    expect(await failureOf(complete(provider))).toMatchObject({ code: 'overloaded', sent: false });
  });

  test('stops waiting for a token when the caller stops', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    tokens.waitFor(promise);
    const stop = new AbortController();
    const answer = failureOf(connect().chat!.complete(REQUEST, vertex.newContext({ signal: stop.signal })));
    stop.abort();
    expect(await answer).toMatchObject({ code: 'aborted', sent: false });
    resolve();
  });

  test('gets tokens for an identity of another cloud', async () => {
    const file = path.join(folder, 'subject');
    await writeFile(file, SUBJECT_TOKEN);
    const provider = connect(tokens.workloadIdentity(file));
    expect((await complete(provider)).choices[0]?.message.content).toBe('You said: Hi');
    const missing = connect(tokens.workloadIdentity(path.join(folder, 'none')));
    expect(await failureOf(complete(missing))).toMatchObject({ code: 'unauthorized', sent: false });
  });

  test.each([
    [400, 'unauthorized', false],
    [401, 'unauthorized', false],
    [429, 'overloaded', true],
    [503, 'overloaded', true],
    [200, 'unauthorized', false],
  ])('fails before the request when the token server answers %i', async (status, code, retryable) => {
    tokens.answerWith({ status, body: { error: 'invalid_grant' } });
    const before = vertex.client.upstream.requests('chat').length;
    const error = await failureOf(complete(connect()));
    expect(error).toMatchObject({ code, retryable, sent: false });
    expect(vertex.client.upstream.requests('chat')).toHaveLength(before);
  });

  test('asks again after the token server was unreachable', async () => {
    const gone = await startTokenServer();
    await gone.close();
    const provider = connect(tokens.serviceAccount({ token_uri: `${gone.origin}/token` }));
    for (const _ of [1, 2])
      expect(await failureOf(complete(provider))).toMatchObject({ code: 'not_connected', retryable: true });
  });

  test('keeps what a token server repeats out of the error, except for a word of Google', async () => {
    const refusalFor = async (error: string): Promise<string> => {
      tokens.answerWith({ status: 400, body: { error, error_description: 'planted' } });
      const { cause, publicMessage } = await failureOf(complete(connect()));
      return [publicMessage, String(cause)].join();
    };
    expect(await refusalFor('invalid_grant')).toContain('400 invalid_grant');
    for (const error of ['planted assertion', 'eyJhbGciOiJSUzI1NiJ9.planted'])
      expect(await refusalFor(error)).toMatch(/400 without a reason$/);
  });
});

describe('a credential of Vertex AI', () => {
  const account = (more: object) => () => tokens.serviceAccount(more);
  const source = () => tokens.workloadIdentity('x', { credential_source: undefined });
  test.each<[string, () => string, RegExp]>([
    ['no JSON', () => 'a-plain-key', /^must be a JSON object/],
    ['no project', account({ project_id: undefined }), /^must have the field project_id$/],
    ['no key', account({ private_key: undefined }), /^must have the field private_key$/],
    ['no owner', account({ client_email: undefined }), /^must have the field client_email$/],
    ['a key that is none', account({ private_key: 'x' }), /^private_key: must be a private key/],
    ['a region that is a host', account({ region: 'evil.example/' }), /^region: must be global/],
    ['a project with a path', account({ project_id: 'a/b' }), /^project_id: must be the id/],
    ['an identity without a source', source, /credential_source$/],
    ['a machine without a project', () => '{"source":"environment"}', /^must have the field project_id$/],
  ])('fails with %s, in words without its values', (_, key, rule) => {
    const refusal = readCredential('google-vertex', key(), 'operator');
    expect(refusal).toEqual(expect.stringMatching(rule));
    expect(refusal).not.toMatch(/PRIVATE KEY|evil/);
  });

  test('stops the start of the gateway, with the names of the variable and the field', () => {
    const apiKey = tokens.serviceAccount({ project_id: undefined });
    expect(() => requireCredentials((slug) => (slug === 'google-vertex' ? { apiKey } : {}))).toThrow(
      'PROVIDER_GOOGLE_VERTEX_API_KEY must have the field project_id',
    );
  });

  test('must contain its own key when a customer brings it', () => {
    const read = (key: string) => readCredential('google-vertex', key, 'customer');
    const machine = JSON.stringify({ source: 'environment', project_id: 'our-project' });
    for (const key of [machine, tokens.workloadIdentity('/etc/passwd')]) {
      expect(readCredential('google-vertex', key, 'operator')).toMatchObject({ apiKey: key });
      expect(read(key)).toMatch(/^must contain its own secret/);
    }
    expect(read(tokens.serviceAccount())).toMatchObject({
      shown: 'key-1',
      secrets: [expect.stringContaining('PRIVATE KEY')],
      tokenUrl: `${tokens.origin}/token`,
    });
    for (const type of ['authorized_user', 'impersonated_service_account'])
      expect(read(tokens.serviceAccount({ type }))).toMatch(/^type: /);
  });

  test('must not have more than 4,096 bits', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4104 });
    const key = tokens.serviceAccount({ private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) });
    expect(readCredential('google-vertex', key, 'customer')).toMatch(/^private_key: must be a private key/);
  });

  test.each([
    [undefined, 'https://aiplatform.googleapis.com', 'global'],
    ['global', 'https://aiplatform.googleapis.com', 'global'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com', 'eu'],
    ['us', 'https://aiplatform.us.rep.googleapis.com', 'us'],
    ['europe-west4', 'https://europe-west4-aiplatform.googleapis.com', 'europe-west4'],
  ])('names the address of its region: %s', (region, origin, location) => {
    const credential = readCredential('google-vertex', tokens.serviceAccount({ region }), 'operator');
    if (typeof credential === 'string') throw new Error(credential);
    expect(credential.baseUrl).toBe(`${origin}/v1beta1`);
    expect(placeOf('https://proxy.example/v1/', credential.fields as VertexCredential)).toBe(
      `https://proxy.example/v1/projects/our-project/locations/${location}`,
    );
  });
});
