/** Checks the list of providers, and the calls that show whether their credentials work. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { createUpstream } from '../../upstream/create-upstream.ts';
import { runAdminHere } from '../support/admin.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { answerChat, sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

let testDatabase: TestDatabase;
let database: Database;
let vendor: VendorServer;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  await seedCatalog(database.knex);
  vendor = await startVendorServer();
});
afterAll(async () => {
  await vendor.close();
  await database.close();
  await testDatabase.drop();
});
beforeEach(() => {
  vendor.answer = answerChat;
  vendor.calls.length = 0;
});

const run = (args: string[], env: Record<string, string> = {}) =>
  runAdminHere(['providers', ...args], { SLUICE_ENV: 'test', DATABASE_URL: testDatabase.url, ...env });

const groq = () => ({ PROVIDER_GROQ_API_KEY: 'k-1', PROVIDER_GROQ_BASE_URL: vendor.baseUrl });

describe('providers list', () => {
  test('says of each provider what it can do, and what to set', async () => {
    const { code, stdout } = await run(['list'], groq());
    expect(stdout).toMatch(/^groq +Groq +configured +chat embeddings +\d+$/m);
    expect(stdout).toMatch(/^mistral +Mistral AI +set PROVIDER_MISTRAL_API_KEY +chat embeddings +\d+$/m);
    expect(stdout).toMatch(/^cloudflare +Cloudflare Workers AI +set PROVIDER_CLOUDFLARE_BASE_URL +\d+$/m);
    expect(code).toBe(0);
  });
});

test('providers list names the field that a credential lacks', async () => {
  const { code, stderr } = await run(['list'], { PROVIDER_BEDROCK_API_KEY: '{"region":"us-east-1"}' });
  expect(stderr).toContain('PROVIDER_BEDROCK_API_KEY must have the field accessKeyId');
  expect(code).toBe(2);
});

describe('providers test', () => {
  test('calls the cheapest model of each configured provider', async () => {
    const upstream = createUpstream({ apiKey: 'local-key' });
    const { baseUrl } = await upstream.listen(0);
    const local = { PROVIDER_LOCAL_API_KEY: 'local-key', PROVIDER_LOCAL_BASE_URL: baseUrl };
    const { code, stdout } = await run(['test'], { ...local, ...groq() });
    await upstream.close();
    expect(stdout).toMatch(/^groq +openai\/gpt-oss-20b +answered in \d+ ms$/m);
    expect(stdout).toMatch(/^local +\S+ +answered in \d+ ms$/m);
    expect(stdout).not.toMatch(/^mistral/m);
    expect(vendor.calls.map(({ path, key }) => [path, key])).toEqual([['/v1/chat/completions', 'k-1']]);
    expect(code).toBe(0);
  });

  test("shows the failure of a provider in the vendor's words without its credential, and exits 1", async () => {
    vendor.answer = (_, response) => sendJson(response, 401, { error: { message: 'No such key: k-1' } });
    const { code, stdout } = await run(['test', 'groq'], groq());
    expect(stdout).toMatch(
      /^groq +openai\/gpt-oss-20b +unauthorized, status 401: No such key: \[redacted\]$/m,
    );
    expect(code).toBe(1);
  });

  test('says why nothing could be sent', async () => {
    const env = { ...groq(), PROVIDER_GROQ_BASE_URL: 'http://127.0.0.1:1/v1' };
    const { code, stdout } = await run(['test', 'groq'], env);
    expect(stdout).toMatch(/ not_connected: The provider could not be reached \(connect ECONNREFUSED .+\)$/m);
    expect(code).toBe(1);
  });

  test('prefers a chat to cheaper models of other kinds', async () => {
    const env = { PROVIDER_GOOGLE_API_KEY: 'k-3', PROVIDER_GOOGLE_BASE_URL: vendor.origin };
    const { stdout } = await run(['test', 'google'], env);
    expect(stdout).toMatch(/^google +gemini-3\.1-flash-lite /m);
  });

  test('calls the model that is named', async () => {
    const { code } = await run(['test', 'groq', 'openai/gpt-oss-120b'], groq());
    expect(vendor.calls.map(({ body }) => JSON.parse(body).model)).toEqual(['openai/gpt-oss-120b']);
    expect(code).toBe(0);
  });

  test.each([
    ['replicate', '/v1', 'Bearer k-2', '/v1/account'],
    ['fal', '', 'Key k-2', '/v1/models/pricing?endpoint_id=fal-ai%2Fflux%2Fdev'],
  ])('only checks the key of %s, which makes nothing but media', async (slug, base, authorization, path) => {
    const name = `PROVIDER_${slug.toUpperCase()}`;
    const env = { [`${name}_API_KEY`]: 'k-2', [`${name}_BASE_URL`]: vendor.origin + base };
    vendor.answer = (_call, response, { headers }) => {
      const isKnown = headers.authorization === authorization;
      sendJson(response, isKnown ? 200 : 401, isKnown ? {} : { detail: 'No user found for k-3' });
    };
    const taken = await run(['test', slug], env);
    expect(taken.stdout).toMatch(new RegExp(`^${slug} +takes the key: answered in \\d+ ms$`, 'm'));
    expect(taken.code).toBe(0);
    const refused = await run(['test', slug], { ...env, [`${name}_API_KEY`]: 'k-3' });
    expect(refused.stdout).toMatch(
      / unauthorized, status 401: .+ \(HTTP 401 No user found for \[redacted\]\)$/m,
    );
    expect(refused.code).toBe(1);
    expect(vendor.calls.map((call) => call.path)).toEqual([path, path]);
  });

  test('does not call a provider without anything cheap', async () => {
    const azure = { PROVIDER_AZURE_API_KEY: 'k-2', PROVIDER_AZURE_BASE_URL: vendor.baseUrl };
    const { code, stdout } = await run(['test', 'azure'], azure);
    expect(stdout).toMatch(/^azure +not called: it has no chat, embeddings or rerank in the catalog$/m);
    expect(code).toBe(0);
  });

  test.each([
    [['test', 'nobody'], 'There is no provider nobody'],
    [['test', 'mistral'], 'mistral is not configured. Set PROVIDER_MISTRAL_API_KEY here too'],
    [['test', 'groq', 'a/model', 'more'], '"more" is one argument too many'],
    [['try'], 'one of list, test'],
  ])('refuses %j, and says what to do', async (args, problem) => {
    const { code, stderr } = await run(args);
    expect(stderr).toContain(problem);
    expect(code).not.toBe(0);
  });

  test('refuses a model that the provider does not have', async () => {
    const { code, stderr } = await run(['test', 'groq', 'x-ai/grok-4.7'], groq());
    expect(stderr).toContain('groq has no model x-ai/grok-4.7 in the catalog');
    expect(code).toBe(2);
  });
});
