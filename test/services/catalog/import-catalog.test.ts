import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createCatalogStore } from '../../../db/catalog/catalog-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { newUuid } from '../../../domain/ids.ts';
import { parseCatalogFile } from '../../../providers/catalog-file.ts';
import { importCatalog } from '../../../services/catalog/import-catalog.ts';
import { acmeCatalog, acmeEndpoint } from '../../support/catalog-file.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const organizationId = newUuid();
let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  const organization = { id: organizationId, name: 'A', creditEnforcement: false, entitlements: [] };
  await createAccountStore(database.knex).insertOrganization(organization);
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Imports endpoints, given by id and the upstream's name of their model. */
async function importEndpoints(...endpoints: [id: string, upstreamModelId: string][]): Promise<unknown> {
  const rows = endpoints.map(([id, upstreamModelId]) => acmeEndpoint('acme', { id, upstreamModelId }));
  const file = parseCatalogFile(acmeCatalog('acme', 'https://acme.example', {}, rows));
  return importCatalog(database.knex, file, { organizationId, digest: 'x', dryRun: false });
}

async function places(): Promise<Record<string, string>> {
  const { liveEndpoints } = await createCatalogStore(database.knex).load();
  return Object.fromEntries(liveEndpoints.map(({ id, upstreamModelId }) => [id, upstreamModelId]));
}

test('an endpoint takes the place another one of the file leaves, in any order', async () => {
  await importEndpoints(['one', 'x']);
  expect(await importEndpoints(['two', 'x'], ['one', 'y'])).toMatchObject({ changes: expect.any(Array) });
  expect(await places()).toEqual({ one: 'y', two: 'x' });
  await importEndpoints(['one', 'x'], ['two', 'y']);
  expect(await places()).toEqual({ one: 'x', two: 'y' });
});

test('an endpoint cannot take the place of one that the file switches off', async () => {
  await importEndpoints(['one', 'x'], ['two', 'y']);
  expect(await importEndpoints(['one', 'x'], ['three', 'y'])).toEqual({
    issues: [
      {
        path: 'liveEndpoints.1.upstreamModelId',
        message: 'is already served to acme/fast by the endpoint two',
      },
    ],
  });
  expect(await places()).toEqual({ one: 'x', two: 'y' });
});
