import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AdminUsageError } from '../../admin/arguments.ts';
import { runCatalog } from '../../admin/catalog.ts';
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { readExtracts } from '../../dev/catalog/read-extracts.ts';
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import { newUuid } from '../../domain/ids.ts';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { acmeCatalog, acmeEndpoint } from '../support/catalog-file.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createDatabase, type Database } from '../support/open-database.ts';

const extracts = readExtracts();
type Map = Record<string, Record<string, unknown>>;
/** The map from which the shipped prices come, to change. */
const litellm = (): Map => structuredClone(extracts.litellm.data) as Map;

let testDatabase: TestDatabase;
let database: Database;
let folder: string;
let said: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-update-'));
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  await seedCatalog(database.knex);
  const organization = { id: newUuid(), name: 'A', creditEnforcement: false, entitlements: [] };
  await createAccountStore(database.knex).insertOrganization(organization);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  said = '';
});

/** Brings back the shipped catalog. */
async function restore(): Promise<void> {
  await database.knex('providers').where('slug', 'like', 'acme%').delete();
  await database.knex('models').where('id', 'like', 'acme%').delete();
  for (const table of ['models', 'endpoints']) await database.knex(table).update({ source: 'bundled' });
  await seedCatalog(database.knex);
  await database.knex('audit_log').delete();
}

const tools = (answer?: boolean) => ({
  allow: () => [],
  credentials: () => ({}),
  print: (text: string) => void (said += text),
  ask: answer === undefined ? undefined : () => Promise.resolve(answer),
});

async function update(file: unknown, ...options: string[]): Promise<string> {
  const name = path.join(folder, 'prices.json');
  await writeFile(name, typeof file === 'string' ? file : JSON.stringify(file));
  return (await runCatalog(database.knex, ['update', '--from', name, ...options], tools())).text;
}

async function pricingOf(id: string): Promise<TokenPricing | undefined> {
  const { liveEndpoints } = await createCatalogStore(database.knex).load();
  return liveEndpoints.find((endpoint) => endpoint.id === id)?.pricing;
}

const audited = async (): Promise<unknown[]> =>
  database.knex('audit_log').select('action', 'target').where({ action: 'updateCatalog' });

const SOL = 'openai/gpt-6.1-sol@openai';

describe('catalog update', () => {
  afterEach(restore);

  test('finds nothing to change in the data from which the shipped prices come', async () => {
    expect(await update(extracts.litellm.data, '--yes')).toBe('The catalog already has these prices.');
    const text = await update(extracts['genai-prices'].data, '--yes');
    expect(text).toContain('Prices: 0 dearer, 0 cheaper, 0 new, 0 gone.');
    expect(text).toMatch(/^gone +openai\/gpt-6\.1-sol@openai +is not in the source$/m);
    expect(await audited()).toEqual([]);
  });

  test('shows dearer, cheaper, new and missing prices, writes them, and records it once', async () => {
    const map = litellm();
    const sol = map['gpt-6.1-sol'] ?? {};
    sol['input_cost_per_token'] = 3e-6;
    sol['output_cost_per_token_above_272k_tokens_flex'] = 7e-6;
    sol['cache_creation_input_token_cost_above_1hr'] = 4e-6;
    for (const key of Object.keys(sol)) if (key.endsWith('_priority')) delete sol[key];
    sol['deprecation_date'] = '2027-09-29';
    delete map['gpt-5.5'];
    expect(await update(map, '--yes')).toBe('2 rows written.');
    for (const line of [
      /^dearer +openai\/gpt-6\.1-sol@openai +prompt +0\.000002 +0\.000003$/m,
      /^cheaper +openai\/gpt-6\.1-sol@openai +completion, minPromptTokens 272000, serviceTier flex +0\.0000075 +0\.000007$/m,
      /^new +openai\/gpt-6\.1-sol@openai +inputCacheWriteHour +0\.000004$/m,
      /^gone +openai\/gpt-6\.1-sol@openai +prompt, serviceTier priority +0\.000004$/m,
      /^gone +openai\/gpt-5\.5@openai +is not in the source$/m,
      /^model +openai\/gpt-6\.1-sol +retired on +2027-09-29$/m,
      /^Prices: 1 dearer, 1 cheaper, 1 new, 8 gone\. Endpoints that are gone: 1\.$/m,
    ])
      expect(said).toMatch(line);
    const pricing = await pricingOf(SOL);
    expect(pricing).toMatchObject({ prompt: '0.000003', inputCacheWriteHour: '0.000004' });
    expect(pricing?.overrides?.map(({ serviceTier }) => serviceTier)).toEqual([undefined, 'flex', 'flex']);
    expect(await pricingOf('openai/gpt-5.5@openai')).toBeDefined();
    expect(await audited()).toEqual([
      { action: 'updateCatalog', target: expect.stringMatching(/^catalog\/[0-9a-f]{64}$/) },
    ]);
    expect(await update(map, '--yes')).toContain('Prices: 0 dearer, 0 cheaper, 0 new, 0 gone.');
  });

  test('keeps what a format cannot state: tiers, when genai-prices has a new price', async () => {
    const data = structuredClone(extracts['genai-prices'].data) as {
      id: string;
      models: { id: string; prices: object }[];
    }[];
    const model = data.find(({ id }) => id === 'openai')?.models.find(({ id }) => id === 'gpt-5.1');
    Object.assign(model?.prices ?? {}, { input_mtok: 2 });
    await update(data, '--yes');
    expect(await pricingOf('openai/gpt-5.1@openai')).toMatchObject({
      prompt: '0.000002',
      overrides: [{ serviceTier: 'flex', prompt: '0.000000625' }, { serviceTier: 'priority' }],
    });
  });

  test('lasts until a version has newer data', async () => {
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    await update(map, '--yes');
    await seedCatalog(database.knex);
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000003' });
    await database.knex('endpoints').where({ id: SOL }).update({ updated_at: '2026-01-01' });
    await seedCatalog(database.knex);
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
  });

  test('leaves the rows that an operator imported', async () => {
    await database.knex('endpoints').where({ id: SOL }).update({ source: 'imported' });
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    expect(await update(map, '--yes')).toBe(
      'The catalog already has these prices. Of your own: 1 endpoint, unchanged.',
    );
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
  });

  test('takes a newer catalog file, with new models and those that are gone', async () => {
    const file = acmeCatalog('acme', 'https://api.acme.example/v1');
    expect(await update(file, '--yes', '--force')).toBe('3 rows written.');
    const next = acmeCatalog('acme', 'https://api.acme.example/v1', {}, [
      acmeEndpoint('acme', { id: 'acme/other@acme', upstreamModelId: 'other' }),
      acmeEndpoint('acme', { id: 'acme/third@acme', upstreamModelId: 'third' }),
    ]);
    expect(await update(next, '--yes')).toBe('3 rows written.');
    expect(said).toMatch(/^gone +acme\/fast@acme +is switched off$/m);
    expect(await pricingOf('acme/fast@acme')).toBeUndefined();
    expect(await pricingOf('acme/other@acme')).toBeDefined();
  });

  test('skips a model whose prices have another form', async () => {
    const map = litellm();
    Object.assign(map['gpt-5.5'] ?? {}, { off_peak_pricing: {}, input_cost_per_token: 1e-6 });
    expect(await update(map, '--yes')).toMatch(
      /^skipped +openai\/gpt-5\.5@openai +has prices that a catalog cannot hold$/m,
    );
    expect(await pricingOf('openai/gpt-5.5@openai')).toMatchObject({ prompt: '0.000005' });
  });

  test('writes nothing when the catalog changes before the answer', async () => {
    const name = path.join(folder, 'raced.json');
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    await writeFile(name, JSON.stringify(map));
    const ask = async (): Promise<boolean> => {
      await database.knex('endpoints').where({ id: SOL }).update({ source: 'imported' });
      return true;
    };
    const run = runCatalog(database.knex, ['update', '--from', name], { ...tools(true), ask });
    await expect(run).rejects.toThrow('The catalog changed meanwhile; nothing was written.');
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
    expect(await audited()).toEqual([]);
  });

  test('writes nothing in a dry run', async () => {
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    expect(await update(map, '--dry-run')).toMatch(
      /^dearer .*\n\nPrices: 1 dearer.*\nNothing was written\.$/ms,
    );
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
    expect(await audited()).toEqual([]);
  });

  test('asks before it writes, and refuses without a terminal', async () => {
    const name = path.join(folder, 'asked.json');
    const map = litellm();
    Object.assign(map['gpt-6.1-sol'] ?? {}, { input_cost_per_token: 3e-6 });
    await writeFile(name, JSON.stringify(map));
    const args = ['update', '--from', name];
    await expect(runCatalog(database.knex, args, tools())).rejects.toThrow('there is no terminal to ask at');
    expect(await runCatalog(database.knex, args, tools(false))).toMatchObject({
      text: 'Nothing was written.',
    });
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000002' });
    expect(await runCatalog(database.knex, args, tools(true))).toMatchObject({ text: '1 row written.' });
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000003' });
  });
});

describe('catalog update from a doubtful file', () => {
  const scaled = (factor: number): Map =>
    Object.fromEntries(
      Object.entries(litellm()).map(([key, model]) => [
        key,
        Object.fromEntries(
          Object.entries(model).map(([name, value]) => [
            name,
            name.includes('cost') && typeof value === 'number' ? value * factor : value,
          ]),
        ),
      ]),
    );
  const few = (): Map => Object.fromEntries(Object.entries(litellm()).filter((_, i) => i % 10 === 0));

  test.each([
    ['halves all prices', () => scaled(0.5), /makes \d+ of \d+ endpoints cheaper by a third or more/],
    ['doubles all prices', () => scaled(2), /makes \d+ of \d+ endpoints dearer by half or more/],
    [
      'makes a price zero',
      () => ({
        ...litellm(),
        'gpt-5.5': { litellm_provider: 'openai', input_cost_per_token: 0, output_cost_per_token: 3e-5 },
      }),
      /makes a price of 1 of \d+ endpoints zero/,
    ],
    ['drops 90 % of the models', few, /lacks \d+ of \d+ endpoints of its vendors/],
    [
      'has other models only',
      () => ({ x: { litellm_provider: 'nobody', input_cost_per_token: 1 } }),
      /has none of the models in the catalog/,
    ],
  ])('refuses a file that %s, and says why', async (_what, file, reason) => {
    const before = await createCatalogStore(database.knex).loadSourced();
    await expect(update(file(), '--yes')).rejects.toThrow(reason);
    expect(await createCatalogStore(database.knex).loadSourced()).toEqual(before);
    expect(await update(file(), '--dry-run')).toMatch(reason);
  });

  test('writes it with --force', async () => {
    expect(await update(scaled(0.5), '--yes', '--force')).toMatch(/^\d+ rows written\.$/);
    expect(await pricingOf(SOL)).toMatchObject({ prompt: '0.000001' });
    await restore();
  });

  test.each([
    ['is empty', '', /is not JSON/],
    ['is an empty object', {}, /neither of genai-prices/],
    [
      'has a price that is a text',
      { x: { litellm_provider: 'openai', input_cost_per_token: '1' } },
      /x\.input_cost_per_token must be a number/,
    ],
    ['is nested deeply', '['.repeat(100_000), /is not JSON/],
    ['has control characters', { 'a\u001b[2J': { litellm_provider: 'openai' } }, /must be a name/],
    ['breaks the rules of catalogs', { providers: [], models: [{}], endpoints: [] }, /models\.0\.id/],
  ])('refuses a file that %s even with --force', async (_what, file, reason) => {
    const refusal = update(file, '--yes', '--force');
    await expect(refusal).rejects.toThrow(AdminUsageError);
    await expect(refusal).rejects.toThrow(reason);
  });
});
