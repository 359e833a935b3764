/** Runs `admin catalog update` over the shipped catalog, for tests. */
import { afterAll, beforeAll } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCatalog } from '../../admin/catalog.ts';
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { readExtracts } from '../../dev/catalog/read-extracts.ts';
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import { newUuid } from '../../domain/ids.ts';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createDatabase, type Database } from './open-database.ts';

export const extracts = readExtracts();
export type PriceMap = Record<string, Record<string, unknown>>;

/** Returns LiteLLM's map, from which the shipped prices come, to change. */
export const litellm = (): PriceMap => structuredClone(extracts.litellm.data) as PriceMap;

/** The shipped catalog in a database that lives as long as the test file. */
export interface UpdateScene {
  readonly database: Database;
  readonly folder: string;
  /** What the command printed before its end. */
  said: string;
  /** Brings back the shipped catalog. */
  restore(): Promise<void>;
  tools(answer?: boolean): NonNullable<Parameters<typeof runCatalog>[2]>;
  update(file: unknown, ...options: string[]): Promise<string>;
  pricingOf(id: string): Promise<TokenPricing | undefined>;
}

export function setUpUpdates(): UpdateScene {
  let testDatabase: TestDatabase;
  let database: Database;
  let folder: string;

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

  const scene: UpdateScene = {
    get database() {
      return database;
    },
    get folder() {
      return folder;
    },
    said: '',
    async restore() {
      await database.knex('providers').where('slug', 'like', 'acme%').delete();
      await database.knex('models').where('id', 'like', 'acme%').delete();
      for (const table of ['models', 'endpoints']) await database.knex(table).update({ source: 'bundled' });
      await seedCatalog(database.knex);
      await database.knex('audit_log').delete();
    },
    tools: (answer) => ({
      allow: () => [],
      credentials: () => ({}),
      print: (text: string) => void (scene.said += text),
      ask: answer === undefined ? undefined : () => Promise.resolve(answer),
    }),
    async update(file, ...options) {
      const name = path.join(folder, 'prices.json');
      await writeFile(name, typeof file === 'string' ? file : JSON.stringify(file));
      const args = ['update', '--from', name, ...options];
      return (await runCatalog(database.knex, args, scene.tools())).text;
    },
    async pricingOf(id) {
      const { liveEndpoints } = await createCatalogStore(database.knex).load();
      return liveEndpoints.find((endpoint) => endpoint.id === id)?.pricing;
    },
  };
  return scene;
}
