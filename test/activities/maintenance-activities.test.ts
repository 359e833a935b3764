import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createMaintenanceActivities,
  type MaintenanceActivities,
  type MaintenanceDeps,
} from '../../activities/maintenance-activities.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let activities: MaintenanceActivities;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  const retention = { knex: database.knex, jobsMs: 0, auditMs: undefined };
  activities = createMaintenanceActivities({ retention } as Partial<MaintenanceDeps> as MaintenanceDeps);
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

test('requests of interns are deleted after 30 days and not before', async () => {
  const ages = ['1 minute', '29 days 23 hours', '30 days 1 hour', '400 days'];
  for (const age of ages) {
    await database.knex.raw(
      `insert into egress_log (organization_id, intern_id, key_hash, method, host, names, created_at)
       values (gen_random_uuid(), gen_random_uuid(), '', 'GET', ?, '{}', now() - cast(? as interval))`,
      [age, age],
    );
  }
  expect(await activities.deleteEndedDeliveriesPage()).toMatchObject({ more: false });
  const { rows } = await database.knex.raw('select host from egress_log order by created_at desc');
  expect(rows).toEqual([{ host: '1 minute' }, { host: '29 days 23 hours' }]);
});
