import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCatalogStore } from '../../../db/catalog/catalog-store.ts';
import { createPriceVersionReadModel } from '../../../db/catalog/price-version-read-model.ts';
import { createEndpointStore } from '../../../db/endpoints/endpoint-store.ts';
import { createOwnResourcesReadModel } from '../../../db/endpoints/own-resources-read-model.ts';
import { migrate, rollBackThrough } from '../../../db/migrate.ts';
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { seedCatalog } from '../../../services/catalog/seed-catalog.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';

const ID = 'local/echo-1@local';
const MIGRATION = '20261129000000_create_price_versions';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  await seedCatalog(database.knex);
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function versionsOf(endpointId: string) {
  const versions = await createPriceVersionReadModel(database.knex).list();
  return versions.filter((version) => version.endpointId === endpointId);
}

async function loaded(): Promise<LiveEndpoint> {
  const { liveEndpoints } = await createCatalogStore(database.knex).load();
  return liveEndpoints.find(({ id }) => id === ID)!;
}

describe('the versions of prices', () => {
  test('exist for every endpoint of a new catalog, which is loaded with them', async () => {
    const { endpoints, liveEndpoints } = await createCatalogStore(database.knex).load();
    const current = (await createPriceVersionReadModel(database.knex).list()).filter((v) => v.isCurrent);
    const found = [...endpoints, ...liveEndpoints].map(({ id, priceVersion }) => `${priceVersion} ${id}`);
    expect(new Set(found)).toEqual(new Set(current.map(({ id, endpointId }) => `${id} ${endpointId}`)));
  });

  test('get one more when a price changes, and none when another field does', async () => {
    const endpoint = await loaded();
    const store = createCatalogStore(database.knex);
    await store.upsertEndpoint({ ...endpoint, contextLength: 77 });
    expect(await versionsOf(ID)).toHaveLength(1);
    await store.upsertEndpoint({ ...endpoint, pricing: { prompt: '1', completion: '2' } });
    const [before, after, ...others] = await versionsOf(ID);
    expect(others).toEqual([]);
    expect(before).toMatchObject({ pricing: endpoint.pricing, isCurrent: false, isPrivate: false });
    expect(after).toMatchObject({ pricing: { prompt: '1', completion: '2' }, isCurrent: true });
    expect((await loaded()).priceVersion).toBe(after!.id);
  });

  test('do not have prices that an import of the operator keeps out', async () => {
    const endpoint = await loaded();
    await createCatalogStore(database.knex, 'imported').upsertEndpoint(endpoint);
    const before = await versionsOf(ID);
    await createCatalogStore(database.knex).upsertEndpoint({
      ...endpoint,
      pricing: { prompt: '9', completion: '9' },
    });
    expect(await versionsOf(ID)).toEqual(before);
  });

  test('have no current one for an endpoint that is off', async () => {
    await createCatalogStore(database.knex).retireEndpoints([ID]);
    expect((await versionsOf(ID)).filter(({ isCurrent }) => isCurrent)).toEqual([]);
    await database.knex('endpoints').where({ id: ID }).update({ enabled: true });
  });

  test("exist for customers' endpoints, which requests read with them", async () => {
    const organizationId = randomUUID();
    await database.knex('organizations').insert({ id: organizationId, name: 'Own' });
    const id = randomUUID();
    const store = createEndpointStore(database.knex);
    const pricing = { prompt: '1', completion: '2', cacheRead: '1', cacheWrite: '1' };
    await store.insert({
      id,
      organizationId,
      modelId: 'local/echo-1',
      providerSlug: 'local',
      capability: 'chat',
      upstreamModelId: 'mine',
      baseUrl: null,
      declaredRegion: null,
      declaredZdr: null,
      declaredParameters: null,
      pricing,
    });
    await store.setPricing(id, { ...pricing, prompt: '3' });
    await store.setPricing(id, { ...pricing, prompt: '3' });
    await store.setStatus(id, 'active');
    const versions = await versionsOf(id);
    expect(versions).toMatchObject([
      { pricing, isPrivate: true, isCurrent: false },
      { pricing: { prompt: '3' }, isPrivate: true, isCurrent: true },
    ]);
    const owner = { organizationId, workspaceId: randomUUID() };
    const own = await createOwnResourcesReadModel(database.knex).find(owner);
    expect(own.endpoints).toMatchObject([{ id, priceVersion: versions[1]!.id }]);
  });

  test('begin for rows of an earlier schema when these were last written', async () => {
    await rollBackThrough(testDatabase.url, MIGRATION);
    await database.knex('endpoints').where({ id: ID }).update({ updated_at: '2026-01-02T03:04:05Z' });
    await migrate(testDatabase.url);
    const { rows } = await database.knex.raw<{ rows: unknown[] }>(
      `select v.valid_from, v.pricing = e.pricing "isSame" from price_versions v join endpoints e on e.id = v.endpoint_id
       where e.id = ?`,
      [ID],
    );
    expect(rows).toEqual([{ valid_from: new Date('2026-01-02T03:04:05Z'), isSame: true }]);
  });
});
