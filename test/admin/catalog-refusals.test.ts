import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCatalog } from '../../admin/catalog.ts';
import { AdminUsageError } from '../../admin/arguments.ts';
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createCatalogStore, type SourcedCatalog } from '../../db/catalog/catalog-store.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { newUuid } from '../../domain/ids.ts';
import { seedCatalog } from '../../services/catalog/seed-catalog.ts';
import { acmeCatalog, acmeEndpoint, type FileEndpoint } from '../support/catalog-file.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let folder: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  await seedCatalog(database.knex);
  const organization = { id: newUuid(), name: 'A', creditEnforcement: false, entitlements: [] };
  await createAccountStore(database.knex).insertOrganization(organization);
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-catalog-'));
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(folder, { recursive: true });
});

const endpoint = (change: object = {}) => acmeEndpoint('acme', change);
const catalog = (modelChange: object = {}, endpoints?: FileEndpoint[]) =>
  acmeCatalog('acme', 'https://api.acme.example/v1', modelChange, endpoints);

/** What is in the catalog, and how often something was imported. */
async function everything(): Promise<{ rows: SourcedCatalog; audit: unknown[] }> {
  const rows = await createCatalogStore(database.knex).loadSourced();
  return { rows, audit: await database.knex('audit_log').select('action') };
}

const refusals: [name: string, file: () => unknown, lines: RegExp][] = [
  ['what is no JSON', () => '{"providers": [', /catalog\.json is not JSON: /],
  ['what is no catalog', () => [], /^ {2}the file: must be an object$/m],
  [
    'fields of no known name, and names all that is wrong at once',
    () => catalog({ colour: 'red', contextLength: 0 }),
    /^ {2}models\.0\.contextLength: must be at least 1\n {2}models\.0: has unknown fields: colour$/m,
  ],
  [
    'a date that is none',
    () => catalog({ knowledgeCutoff: '2026-02-30' }),
    /^ {2}models\.0\.knowledgeCutoff: /m,
  ],
  ['a NUL', () => catalog({ name: 'a\0b' }), /^ {2}models\.0\.name: must be Unicode text without NUL$/m],
  ['half a character', () => catalog({ name: '\ud800' }), /^ {2}models\.0\.name: must be Unicode text/m],
  [
    'a price that is none',
    () => catalog({}, [endpoint({ pricing: { prompt: 'free', completion: '0' } })]),
    /^ {2}liveEndpoints\.0\.pricing\.prompt: must be a decimal amount of dollars$/m,
  ],
  [
    'an endpoint of a model that is nowhere',
    () => catalog({}, [endpoint({ modelId: 'acme/other' })]),
    /^ {2}liveEndpoints\.0\.modelId: acme\/other is not a model of the file or the catalog$/m,
  ],
  [
    'an endpoint of a provider that is nowhere',
    () => catalog({}, [endpoint({ providerSlug: 'nobody' })]),
    /^ {2}liveEndpoints\.0\.providerSlug: nobody is not a provider/m,
  ],
  [
    'an id twice',
    () => catalog({}, [endpoint(), endpoint({ upstreamModelId: 'x' })]),
    /^ {2}liveEndpoints\.1\.id: .* is in the file twice$/m,
  ],
  [
    'an endpoint under another id',
    () => catalog({}, [endpoint(), endpoint({ id: 'another' })]),
    /^ {2}liveEndpoints\.1\.upstreamModelId: is already served to /m,
  ],
  [
    'the id of somebody else’s endpoint',
    () => catalog({}, [endpoint({ id: 'local/echo-1@local' })]),
    /^ {2}liveEndpoints\.0\.id: local\/echo-1@local is already that of local\/echo-1 at local$/m,
  ],
  [
    'an alias that is a name of another model',
    () => catalog({ aliases: ['local/echo-1'] }),
    /^ {2}models\.0: local\/echo-1 is already a name of local\/echo-1$/m,
  ],
  [
    'another name in the ledger for a model that has one',
    () => catalog({ id: 'local/echo-1', canonicalSlug: 'local/echo-2' }),
    /^ {2}models\.0\.canonicalSlug: of local\/echo-1 is local\/echo-1 and cannot become local\/echo-2; a newer release is a model of its own$/m,
  ],
  [
    'an adapter that this version does not have',
    () => ({ ...catalog(), providers: [{ slug: 'x', name: 'X', adapter: 'telepathy' }] }),
    /^ {2}providers\.0\.adapter: telepathy is not an adapter of this version$/m,
  ],
];

describe('catalog import', () => {
  test.each(refusals)('refuses %s, and imports nothing', async (_name, file, lines) => {
    const before = await everything();
    const name = path.join(folder, 'catalog.json');
    const content = file();
    await writeFile(name, typeof content === 'string' ? content : JSON.stringify(content));
    await expect(runCatalog(database.knex, ['import', name])).rejects.toMatchObject({
      constructor: AdminUsageError,
      message: expect.stringMatching(lines),
    });
    expect(await everything()).toEqual(before);
  });
});
