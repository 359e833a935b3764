import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type CatalogStore, createCatalogStore } from '../../../db/catalog/catalog-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { seedCatalog } from '../../../services/catalog/seed-catalog.ts';
import { eventually } from '../../support/eventually.ts';
import { makeModel, makeProvider } from '../../support/make-model.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let store: CatalogStore;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  store = createCatalogStore(database.knex);
  await seedCatalog(database.knex);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const ENDPOINT: LiveEndpoint = {
  id: 'local/echo-1@elsewhere',
  modelId: 'local/echo-1',
  providerSlug: 'local',
  capability: 'chat',
  upstreamModelId: 'elsewhere',
  region: 'europe',
  pricing: { prompt: '0.000001', completion: '0.000002', inputCacheRead: '0.0000001' },
  contextLength: 8192,
  maxCompletionTokens: null,
  quantization: 'fp8',
  supportedParameters: ['tools'],
  collectsData: false,
  zdr: true,
  distillable: true,
  timeouts: { firstByteMs: 1_000 },
  priority: -1,
};

async function writtenAt(id: string): Promise<Date> {
  const row = await database.knex('endpoints').where({ id }).first<{ updated_at: Date }>('updated_at');
  return row.updated_at;
}

describe('the catalog store', () => {
  test('returns a text endpoint as written, in the order of priorities', async () => {
    await store.upsertEndpoint(ENDPOINT);
    const { liveEndpoints } = await store.load();
    const ofModel = liveEndpoints.filter(({ modelId }) => modelId === ENDPOINT.modelId);
    expect(ofModel.map(({ id }) => id)).toEqual([ENDPOINT.id, 'local/echo-1@local']);
    expect(ofModel[0]).toEqual({ ...ENDPOINT, priceVersion: expect.any(Number) });
  });

  test('writes an endpoint only when it changes', async () => {
    await store.upsertEndpoint(ENDPOINT);
    const first = await writtenAt(ENDPOINT.id);
    await store.upsertEndpoint(ENDPOINT);
    expect(await writtenAt(ENDPOINT.id)).toEqual(first);
    await store.upsertEndpoint({ ...ENDPOINT, timeouts: { idleMs: 5 } });
    expect(await writtenAt(ENDPOINT.id)).not.toEqual(first);
    const { liveEndpoints } = await store.load();
    expect(liveEndpoints.find(({ id }) => id === ENDPOINT.id)?.timeouts).toEqual({ idleMs: 5 });
  });

  test('sends one notification for each change, and none for the same values', async () => {
    const listener = new pg.Client({ connectionString: testDatabase.url });
    await listener.connect();
    const heard: string[] = [];
    listener.on('notification', ({ payload = '' }) => heard.push(payload || 'changed'));
    await listener.query('listen sluice_catalog');
    await seedCatalog(database.knex);
    await database.knex.raw(`notify sluice_catalog, 'the same was written'`);
    await store.upsertProvider(makeProvider({ slug: 'local-too' }));
    await store.upsertModel(makeModel({ id: 'local/new' }));
    await store.upsertEndpoint({ ...ENDPOINT, timeouts: { idleMs: 7 } });
    await database.knex.raw(`notify sluice_catalog, 'the end'`);
    await eventually('the end', async () => (heard.includes('the end') ? true : undefined));
    expect(heard).toEqual(['the same was written', 'changed', 'changed', 'changed', 'the end']);
    await listener.end();
  });

  test("keeps a model's canonical slug when the model is written again", async () => {
    await store.upsertModel(makeModel({ id: 'local/kept', canonicalSlug: 'local/kept-2026' }));
    await store.upsertModel(makeModel({ id: 'local/kept', canonicalSlug: 'local/other', name: 'Other' }));
    const { models } = await store.load();
    expect(models.find(({ id }) => id === 'local/kept')).toMatchObject({
      canonicalSlug: 'local/kept-2026',
      name: 'Other',
    });
  });

  test("returns a model's modalities and context length", async () => {
    const { models } = await store.load();
    expect(models.find(({ id }) => id === 'local/embed-1')).toMatchObject({
      inputModalities: ['text'],
      outputModalities: ['embeddings'],
      contextLength: 8192,
    });
  });

  test('returns video endpoints and live endpoints apart', async () => {
    const { endpoints, liveEndpoints } = await store.load();
    expect(endpoints.every((endpoint) => 'pricingSkus' in endpoint)).toBe(true);
    expect(liveEndpoints.every(({ pricing }) => 'prompt' in pricing)).toBe(true);
  });

  test('refuses an endpoint with both data collection and zero data retention', async () => {
    const impossible = { ...ENDPOINT, collectsData: true, zdr: true };
    await expect(store.upsertEndpoint(impossible)).rejects.toMatchObject({
      constraint: 'endpoints_data_policy',
    });
  });
});
