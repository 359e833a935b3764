/** Checks that the laptop stack finds model servers on this machine, and offers what they have. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from '@jest/globals';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { createDatabase, type Database } from '../../db/postgres/connection.ts';
import { findModelServers, type FoundServer } from '../../dev/stack/own-models/find-servers.ts';
import { offerModels } from '../../dev/stack/own-models/offer-models.ts';
import { seed } from '../../dev/stack/seed.ts';
import { oneRow } from '../../db/postgres/results.ts';
import { int8 } from '../../db/postgres/shape.ts';
import { run } from '../../db/postgres/statement.ts';
import { loadConfig } from '../../platform/config.ts';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { startAimock } from '../support/aimock.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { OLLAMA_MODELS, startLmStudio, startOllama } from '../support/own-servers.ts';
import { startVendorServer, type VendorServer } from '../support/vendor-server.ts';

let ollama: VendorServer;
let lmStudio: VendorServer;
beforeAll(async () => {
  [ollama, lmStudio] = await Promise.all([startOllama(), startLmStudio()]);
});
afterAll(() => Promise.all([ollama.close(), lmStudio.close()]));

const portOf = ({ origin }: { origin: string }) => Number(new URL(origin).port);
/** A port at which nothing listens. */
const NOWHERE = 1;
const findBoth = () => findModelServers({ ollama: portOf(ollama), lmStudio: portOf(lmStudio) });

describe('finding model servers', () => {
  test("reads Ollama's models with context and abilities, and leaves out those of its cloud", async () => {
    const [{ slug, baseUrl, models }] = (await findBoth()) as [FoundServer];
    expect({ slug, baseUrl }).toEqual({ slug: 'ollama', baseUrl: `${ollama.origin}/v1` });
    const chat = { capability: 'chat', readsImages: false, callsTools: false, thinks: false };
    expect(models).toEqual([
      { ...chat, name: 'llama3.2:3b', contextLength: 131_072, callsTools: true },
      { ...chat, name: 'hf.co/acme/tiny:Q4_0', contextLength: 8_192, readsImages: true, thinks: true },
      { ...chat, name: 'short:1b', contextLength: 2_048 },
      { ...chat, name: 'nomic-embed-text:latest', contextLength: 2_048, capability: 'embeddings' },
    ]);
  });

  test("reads LM Studio's models, and leaves out kinds that it does not know", async () => {
    const [, { slug, models }] = (await findBoth()) as [FoundServer, FoundServer];
    expect(slug).toBe('lm-studio');
    expect(models.map((one) => [one.name, one.capability, one.contextLength, one.callsTools])).toEqual([
      ['qwen3-8b', 'chat', 4_096, true],
      ['qwen2-vl-7b', 'chat', 32_768, false],
      ['text-embedding-nomic', 'embeddings', 2_048, false],
    ]);
    expect(models[1]?.readsImages).toBe(true);
  });

  test("finds aimock's Ollama, which lists models without describing them", async () => {
    const server = await startAimock(null);
    try {
      const [found] = await findModelServers({ ollama: portOf(server), lmStudio: NOWHERE });
      expect(found?.models.length).toBeGreaterThan(0);
      expect(found?.models[0]).toMatchObject({ capability: 'chat', contextLength: null, callsTools: false });
    } finally {
      await server.close();
    }
  });

  test('finds nothing where nothing listens, and asks nothing when it is switched off', async () => {
    expect(await findModelServers({ ollama: NOWHERE, lmStudio: NOWHERE })).toEqual([]);
    const before = ollama.calls.length;
    expect(await findModelServers(undefined)).toEqual([]);
    expect(ollama.calls.length).toBe(before);
  });

  test('finds no server in another program, follows no redirect, and leaves a silent one after 2 seconds', async () => {
    const other = await startVendorServer((_, response) => response.end('<html>'));
    const elsewhere = await startVendorServer((_, response) => {
      response.writeHead(302, { location: `${ollama.origin}/api/tags` }).end();
    });
    const silent = await startVendorServer(() => {});
    const since = performance.now();
    const found = await Promise.all([
      findModelServers({ ollama: portOf(other), lmStudio: portOf(other) }),
      findModelServers({ ollama: portOf(elsewhere), lmStudio: portOf(silent) }),
    ]);
    expect(found).toEqual([[], []]);
    expect(performance.now() - since).toBeLessThan(4_000);
    await Promise.all([other.close(), elsewhere.close(), silent.close()]);
  });
});

describe('offering their models', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let organizationId: string;
  beforeEach(async () => {
    testDatabase = await createMigratedDatabase();
    database = createDatabase({ url: testDatabase.url, poolMax: 1, applicationName: 'test' });
    await seedCatalog(database.knex);
    const config = loadConfig({
      SLUICE_ENV: 'test',
      DATABASE_URL: testDatabase.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      OBJECT_STORE: 'file:///nowhere',
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    });
    ({ organization_id: organizationId } = await seed(config, undefined));
  });
  afterEach(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const said: string[] = [];
  const offer = (found: FoundServer[], env: NodeJS.ProcessEnv = {}) =>
    offerModels(testDatabase.url, organizationId, found, { say: (text) => said.push(text), env });
  const served = async (): Promise<string[]> =>
    (await createCatalogStore(database.knex).load()).liveEndpoints
      .filter(({ providerSlug }) => ['ollama', 'lm-studio'].includes(providerSlug))
      .map(({ modelId }) => modelId)
      .toSorted();

  test('puts them into the catalog, free of charge and private', async () => {
    const offered = await offer(await findBoth());
    expect(offered.map(({ slug, models }) => [slug, models.length])).toEqual([
      ['ollama', 4],
      ['lm-studio', 3],
    ]);
    const { liveEndpoints, providers } = await createCatalogStore(database.knex).load();
    expect(liveEndpoints.find(({ id }) => id === 'ollama/hf.co-acme-tiny:Q4_0@ollama')).toMatchObject({
      upstreamModelId: 'hf.co/acme/tiny:Q4_0',
      pricing: { prompt: '0', completion: '0' },
      zdr: true,
      collectsData: false,
    });
    expect(providers.find(({ slug }) => slug === 'ollama')?.baseUrl).toBe(`${ollama.origin}/v1`);
    expect(said).toEqual([]);
  });

  test('withdraws models that are gone, then those of a server that is gone, and offers them again', async () => {
    const [found] = (await findBoth()) as [FoundServer];
    await offer([found]);
    await offer([{ ...found, models: found.models.slice(0, 1) }]);
    expect(await served()).toEqual(['ollama/llama3.2:3b']);
    expect(await offer([])).toEqual([]);
    expect(await served()).toEqual([]);
    await offer([found]);
    expect(await served()).toHaveLength(Object.keys(OLLAMA_MODELS).length - 1);
  });

  test('names a model for chats, and a server that has no models', async () => {
    const [ollamaFound, lmStudioFound] = (await findBoth()) as [FoundServer, FoundServer];
    const vectorsFirst = { ...ollamaFound, models: ollamaFound.models.toReversed() };
    const offered = await offer([vectorsFirst, { ...lmStudioFound, models: [] }]);
    expect(offered).toMatchObject([
      { models: expect.arrayContaining(['ollama/nomic-embed-text:latest']), chatModel: 'ollama/short:1b' },
      { slug: 'lm-studio', models: [], chatModel: undefined },
    ]);
  });

  test('writes nothing at a start that finds the same', async () => {
    const found = await findBoth();
    const imports = async (): Promise<number> => {
      const statement = "select count(*) n from audit_log where action = 'importCatalog'";
      return Number((await oneRow(database.knex, { n: int8 }, statement)).n);
    };
    await offer(found);
    const before = await imports();
    await offer(found);
    expect([before, await imports()]).toEqual([2, 2]);
  });

  test('leaves a server alone that the operator configures', async () => {
    expect(await offer(await findBoth(), { PROVIDER_OLLAMA_BASE_URL: 'http://10.0.0.5:11434/v1' })).toEqual([
      expect.objectContaining({ slug: 'lm-studio' }),
    ]);
    await run(
      database.knex,
      "update providers set base_url = 'https://acme.example/v1' where slug = 'ollama'",
    );
    expect(await offer((await findBoth()).slice(0, 1))).toEqual([]);
    expect((await served()).filter((id) => id.startsWith('ollama/'))).toEqual([]);
  });
});
