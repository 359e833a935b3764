/** Checks that customers bring service accounts of Vertex AI: for endpoints of their own, and for catalog models. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '../../platform/logger.ts';
import { startVertexUpstream, type VertexUpstream } from '../providers/google/upstream.ts';
import type { TokenServer } from '../providers/google/vertex-tokens.ts';
import { UPSTREAM_KEY } from '../providers/upstream-client.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { askChat, completed, ledgerRow } from '../support/chat.ts';
import { billChat, bringKey, createActivated } from '../support/endpoint-to-bill.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { leakSearch, runTexts, tableTexts } from '../support/leaks.ts';
import { ENTITLED } from '../support/private-endpoints.ts';

const MODEL = 'google/gemini-3.1-flash-lite';

let gateway: Gateway;
let manager: Caller;
let google: VertexUpstream;
let tokens: TokenServer;
const logged: string[] = [];
const answers: string[] = [];

beforeAll(async () => {
  google = await startVertexUpstream();
  ({ tokens } = google);
  const destination = { write: (line: string) => void logged.push(line) };
  gateway = await startGateway({
    worker: ['maintenance', 'provider-io', 'video'],
    bootstrap: ENTITLED,
    logger: createLogger({ level: 'trace', name: 'test', destination }),
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
});
afterEach(() => {
  tokens.answerWith(undefined);
  google.upstream.clearFaults();
  google.answerWith({});
});
afterAll(async () => {
  await gateway.close();
  await google.upstream.close();
});

/** Creates an endpoint at the stand-in, and has it activated. */
async function activate(fields: object = {}) {
  const created = await createActivated(gateway, manager, {
    provider_slug: 'google-vertex',
    upstream_model_id: 'gemini-3.1-flash-lite',
    base_url: google.baseUrl,
    ...fields,
  });
  answers.push(JSON.stringify(created.answer));
  return created;
}

test('a service account makes videos with Veo', async () => {
  await bringKey(manager, {
    provider: 'google-vertex',
    key: tokens.serviceAccount(),
    base_url: google.baseUrl,
    allowed_models: ['google/veo-3.1-lite'],
  });
  const asked = { model: 'google/veo-3.1-lite', prompt: 'A kite', duration: 8, resolution: '720p' };
  const { id } = await submit(gateway, asked);
  const job = await ended(gateway, id);
  answers.push(JSON.stringify(job));
  expect(job).toMatchObject({ status: 'completed', usage: { cost: 0, is_byok: true } });
  expect(google.videos.list()).toHaveLength(1);
});

test('a private endpoint at Vertex AI is validated, activated and billed', async () => {
  google.answerWith({ answer: { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } } });
  const address = { base_url: google.baseUrl };
  await bringKey(manager, { provider: 'google-vertex', key: tokens.serviceAccount(), ...address });
  const { status, answer } = await activate();
  expect({ status, answer }).toMatchObject({ status: 201, answer: { data: { status: 'active' } } });
  await billChat(gateway, answer.data.id, 'Hi');
  expect(google.accepted.at(-1)).toMatchObject({ model: 'gemini-3.1-flash-lite' });
});

test.each(['claude-haiku-4-5@20251001', 'openai/gpt-oss-120b-maas'])(
  'a private endpoint for %s passes its checks and is billed',
  async (upstream_model_id) => {
    const { status, answer } = await activate({ upstream_model_id });
    expect({ status, answer }).toMatchObject({ status: 201, answer: { data: { status: 'active' } } });
    await billChat(gateway, answer.data.id, 'Hi');
  },
);

test('a private endpoint for embeddings passes its checks', async () => {
  const embeddings = { model_permaslug: 'local/embed-1', upstream_model_id: 'gemini-embedding-2' };
  expect(await activate(embeddings)).toMatchObject({ status: 201, answer: { data: { status: 'active' } } });
});

test.each([
  ['/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }],
  ['/responses', { input: 'Hi' }],
])("a service account serves Claude over %s in Anthropic's dialect", async (path, body) => {
  const call = { model: 'anthropic/claude-haiku-5.5', provider: { only: ['google-vertex'] }, ...body };
  for (const stream of [false, true]) {
    const answer = await gateway.call('POST', path, { body: { ...call, stream } });
    const text = await answer.text();
    answers.push(text);
    expect([answer.status, text]).toEqual([200, expect.stringContaining('You')]);
    const method = stream ? 'streamRawPredict' : 'rawPredict';
    const { path: asked } = google.upstream.requests('messages').at(-1)!;
    expect(asked).toMatch(new RegExp(`/publishers/anthropic/models/claude-haiku-5-5:${method}$`));
  }
});

test('a service account serves the models of the catalog, for which the operator has none', async () => {
  const answer = await completed(await askChat(gateway, { model: MODEL }));
  answers.push(JSON.stringify(answer));
  expect(await ledgerRow(gateway, answer.id)).toMatchObject({ provider: 'google-vertex', is_byok: true });
});

test('a service account that Google refuses fails the check of the credential', async () => {
  // The other endpoint of this file has a token. A key that nothing used before has none.
  await bringKey(manager, {
    provider: 'google-vertex',
    key: tokens.serviceAccount({ project_id: 'another-project' }),
    base_url: google.baseUrl.replace('127.0.0.1', 'localhost'),
  });
  tokens.answerWith({ status: 400, body: { error: 'invalid_grant', error_description: UPSTREAM_KEY } });
  const { status, answer } = await createActivated(gateway, manager, {
    provider_slug: 'google-vertex',
    upstream_model_id: 'gemini-3.1-flash-lite',
    base_url: google.baseUrl.replace('127.0.0.1', 'localhost'),
  });
  answers.push(JSON.stringify(answer));
  expect(status).toBe(422);
  expect(answer.data.validation.checks.at(-1)).toMatchObject({ name: 'credential_ok', passed: false });
});

test('a credential without an address gets that of its region, and shows the ends of its key id', async () => {
  const key = tokens.serviceAccount({ private_key_id: '0123456789abcdef0123456789abcdef01234567' });
  const answer = await manager.call('POST', '/byok', { body: { provider: 'google-vertex', key } });
  const text = await answer.text();
  answers.push(text);
  const { data } = JSON.parse(text) as { data: { id: string; label: string } };
  expect(data.label).toBe('0123...4567');
  const { rows } = await gateway.database.query('select origin from byok_credentials where id = $1', [
    data.id,
  ]);
  expect(rows).toEqual([{ origin: 'https://europe-west4-aiplatform.googleapis.com' }]);
});

test.each<[string, () => string, string]>([
  ['a plain key', () => 'AIzaSy-a-plain-key', 'must be a JSON object'],
  [
    'no private key',
    () => tokens.serviceAccount({ private_key: undefined }),
    'must have the field private_key',
  ],
  [
    'an identity of the machine',
    () => '{"source":"environment","project_id":"our-project"}',
    'must contain its own secret',
  ],
  ['a file of the machine', () => tokens.workloadIdentity('/etc/passwd'), 'must contain its own secret'],
  [
    'tokens from the network of the gateway',
    () => tokens.serviceAccount({ token_uri: 'https://169.254.169.254/token' }),
    'body.key',
  ],
])('a key with %s is a 400 that names the rule', async (_, key, message) => {
  const answer = await manager.call('POST', '/byok', { body: { provider: 'google-vertex', key: key() } });
  const text = await answer.text();
  answers.push(text);
  expect([answer.status, text]).toEqual([400, expect.stringContaining(message)]);
  expect(text).not.toContain('body.base_url');
});

test('a server that repeats the token shows it to nobody', async () => {
  const message = `Refused: Authorization: Bearer ${UPSTREAM_KEY}`;
  google.upstream.addFaults({ kind: 'status', on: 'chat', status: 400, message, times: 5 });
  const { answer } = await activate();
  expect(answer.data.validation.checks.at(-1)).toMatchObject({ name: 'model_answers', passed: false });
  const { private_key: pem } = JSON.parse(tokens.serviceAccount()) as { private_key: string };
  const leaks = leakSearch([pem, pem.split('\n')[1]!, UPSTREAM_KEY]);
  expect(logged.length).toBeGreaterThan(0);
  for (const texts of [answers, logged, [...(await tableTexts(gateway)).values()]])
    expect(texts.filter((text) => leaks(text).length > 0)).toEqual([]);
  const runs = await runTexts(gateway);
  expect(runs.size).toBeGreaterThan(0);
  expect([...runs].filter(([, text]) => leaks(text).length > 0)).toEqual([]);
});
