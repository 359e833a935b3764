import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';
import { createUpstream } from '../../upstream/create-upstream.ts';
import { runAdminHere } from '../support/admin.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createDatabase, type Database } from '../support/open-database.ts';

let testDatabase: TestDatabase;
let database: Database;
let server: Server;
let vendor: string;
/** The vendor's answers by path and query. */
let answers: Record<string, { status?: number; body: unknown }>;
let asked: IncomingMessage[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  await seedCatalog(database.knex);
  // The shipped dates pass, but not the tests.
  await database.knex.raw("update models set facts = facts - 'expirationDate'");
  server = createServer((request, response) => {
    asked.push(request);
    const { status = 200, body } = answers[request.url ?? ''] ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  vendor = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  answers = {};
  asked = [];
});

const shippedOf = (slug: string) =>
  bundledCatalogs()
    .flatMap(({ endpoints, liveEndpoints }) => [...endpoints, ...liveEndpoints])
    .filter(({ providerSlug }) => providerSlug === slug)
    .map(({ upstreamModelId }) => upstreamModelId);

function check(env: Record<string, string>) {
  return runAdminHere(['catalog', 'check'], { SLUICE_ENV: 'test', DATABASE_URL: testDatabase.url, ...env });
}

const openAi = () => ({ PROVIDER_OPENAI_API_KEY: 'k-1', PROVIDER_OPENAI_BASE_URL: `${vendor}/v1` });
const listOf = (ids: string[]) => ({
  body: { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) },
});

describe('catalog check', () => {
  test('finds all models of the local upstream, and asks no vendor without a key', async () => {
    const upstream = createUpstream({ apiKey: 'local-key' });
    const { baseUrl } = await upstream.listen(0);
    const { code, stdout } = await check({
      PROVIDER_LOCAL_API_KEY: 'local-key',
      PROVIDER_LOCAL_BASE_URL: baseUrl,
    });
    await upstream.close();
    expect(stdout).toContain('local: lists 22 of 22 endpoints');
    expect(stdout).toContain('openai: not configured');
    expect(code).toBe(0);
  });

  test('names endpoints that a vendor lacks or retires, and models that the catalog lacks', async () => {
    const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const ids = shippedOf('openai').filter((id) => id !== 'gpt-5.5');
    const data = ids.map((id) => ({
      id,
      shutdown_date: id === 'gpt-6-sol' ? day(-1) : id === 'gpt-6-luna' ? day(20) : null,
    }));
    answers['/v1/models'] = { body: { data: [...data, { id: 'gpt-7\u001b[2J' }] } };
    const { code, stdout } = await check(openAi());
    expect(stdout).toMatch(/^openai\/gpt-5\.5@openai +gone$/m);
    expect(stdout).toMatch(new RegExp(`^openai/gpt-6-sol@openai +retired +${day(-1)}$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^openai/gpt-6-luna@openai +retires +${day(20)}$`, 'm'));
    expect(stdout).toContain('openai has models that the catalog lacks:\n  gpt-7 [2J');
    expect(stdout).not.toMatch(/^openai\/gpt-6\.1-sol@openai/m);
    expect(code).toBe(1);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer k-1']);
  });

  test('reads all pages of Anthropic, and knows a model by its dated name', async () => {
    const [first = '', ...others] = shippedOf('anthropic').map((id) =>
      id === 'claude-sonnet-4-6' ? 'claude-sonnet-4-6-20260217' : id,
    );
    const page = (ids: string[], more: boolean) => ({
      body: { data: ids.map((id) => ({ id })), has_more: more, last_id: ids.at(-1) },
    });
    answers['/v1/models?limit=1000'] = page([first], true);
    answers[`/v1/models?limit=1000&after_id=${first}`] = page(others, false);
    const env = { PROVIDER_ANTHROPIC_API_KEY: 'k-2', PROVIDER_ANTHROPIC_BASE_URL: `${vendor}/v1` };
    const { code, stdout } = await check(env);
    expect(stdout).toContain('anthropic: lists 13 of 13 endpoints');
    expect(stdout).not.toContain('the catalog lacks');
    expect(
      asked.map(({ headers }) => [headers['x-api-key'], headers['anthropic-version'], headers.authorization]),
    ).toEqual(Array(2).fill(['k-2', '2023-06-01', undefined]));
    expect(code).toBe(0);
  });

  test("asks version 1 of Cohere's API", async () => {
    const models = shippedOf('cohere').map((name) => ({ name }));
    answers['/v1/models?page_size=1000'] = { body: { models: models.slice(1), next_page_token: 'a=b' } };
    answers['/v1/models?page_size=1000&page_token=a%3Db'] = {
      body: { models: models.slice(0, 1), next_page_token: '' },
    };
    const env = { PROVIDER_COHERE_API_KEY: 'k-3', PROVIDER_COHERE_BASE_URL: `${vendor}/v2` };
    expect(await check(env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('cohere: lists 8 of 8 endpoints'),
    });
  });

  test('reads all pages of Google, with the key in its header', async () => {
    const models = shippedOf('google').map((name) => ({ name: `models/${name}` }));
    answers['/v1/models?pageSize=1000'] = { body: { models: models.slice(1), nextPageToken: 'a=b' } };
    answers['/v1/models?pageSize=1000&pageToken=a%3Db'] = { body: { models: models.slice(0, 1) } };
    const env = { PROVIDER_GOOGLE_API_KEY: 'k-4', PROVIDER_GOOGLE_BASE_URL: `${vendor}/v1` };
    expect(await check(env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('google: lists 16 of 16 endpoints'),
    });
    expect(asked.map(({ headers }) => [headers['x-goog-api-key'], headers.authorization])).toEqual(
      Array(2).fill(['k-4', undefined]),
    );
  });

  test.each([
    [
      'refuses the key',
      { status: 401, body: { error: { message: 'wrong key k-1' } } },
      'unauthorized, status 401',
    ],
    ['has no such path', { status: 404, body: {} }, 'not_found, status 404'],
    ['answers something else', { body: '<html>' }, 'invalid_response'],
    ['answers a list of nothing known', { body: { data: [{ name: 'x' }] } }, 'invalid_response'],
  ])('names a vendor that %s', async (_what, answer, problem) => {
    answers['/v1/models'] = answer;
    const { code, stdout, stderr } = await check(openAi());
    expect(stdout).toContain(`openai: does not answer (${problem}`);
    expect(stdout + stderr).not.toContain('k-1');
    expect(code).toBe(1);
  });

  test('names a vendor that cannot be reached, beside those that answer', async () => {
    answers['/v1/models'] = listOf(shippedOf('openai'));
    const env = {
      ...openAi(),
      PROVIDER_ANTHROPIC_API_KEY: 'k',
      PROVIDER_ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/v1',
    };
    const { code, stdout } = await check(env);
    expect(stdout).toContain('anthropic: does not answer (not_connected)');
    expect(stdout).toContain('openai: lists 22 of 22 endpoints');
    expect(code).toBe(1);
  });

  test('finds a retired model by the date in the catalog', async () => {
    const setDate = (date: string | null) =>
      database.knex.raw("update models set facts = facts || ? where id = 'openai/gpt-6-luna'", [
        JSON.stringify({ expirationDate: date }),
      ]);
    await setDate('2026-01-01');
    answers['/v1/models'] = listOf(shippedOf('openai'));
    const { code, stdout } = await check(openAi());
    await setDate(null);
    expect(stdout).toMatch(/^openai\/gpt-6-luna@openai +retired +2026-01-01$/m);
    expect(code).toBe(1);
  });

  test('says that a vendor has no list', async () => {
    const { stdout, code } = await check({ PROVIDER_REPLICATE_API_KEY: 'k' });
    expect(stdout).toContain('replicate: has no list of models');
    expect(code).toBe(0);
  });
});
