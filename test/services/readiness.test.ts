import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { createDatabase, type Database, type Handle } from '../support/open-database.ts';
import { createOutageDetector, type OutageDetector } from '../../db/postgres/outage-detector.ts';
import { createReadinessCheck } from '../../services/readiness.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { reporting } from '../support/handles.ts';
import { createTestNamespace, type TestNamespace } from '../support/temporal.ts';

let testDatabase: TestDatabase;
let database: Database;
/** The pool of the database, whose statements are counted. */
let counted: Handle;
let detector: OutageDetector;
let temporal: TestNamespace;
let nowMs = 0;
/** How often each was asked. */
const asked = { postgres: 0, temporal: 0 };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  counted = reporting(database.knex, () => (asked.postgres += 1));
  detector = detectorFor(testDatabase.url);
  temporal = await createTestNamespace({ searchAttributes: false });
  const { workflowService } = temporal.connection;
  const ask = workflowService.getSystemInfo.bind(workflowService);
  jest.spyOn(workflowService, 'getSystemInfo').mockImplementation((request) => {
    asked.temporal += 1;
    return ask(request as object);
  });
});
beforeEach(() => {
  Object.assign(asked, { postgres: 0, temporal: 0 });
});
afterAll(async () => {
  await detector.close();
  await database.close();
  await testDatabase.drop();
  await temporal.close();
});

function detectorFor(url: string): OutageDetector {
  return createOutageDetector({ url, logger: { warn: () => {}, info: () => {} } });
}

function createCheck(services = { knex: counted, detector }) {
  return createReadinessCheck({ ...services, connection: temporal.connection, now: () => nowMs });
}

const READY = { postgres: true, temporal: true, isStopping: false };

test('the readiness check asks once for all callers who arrive during it', async () => {
  const check = createCheck();
  const answers = await Promise.all(Array.from({ length: 50 }, check));
  expect(answers).toEqual(answers.map(() => READY));
  expect(asked).toEqual({ postgres: 1, temporal: 1 });
});

test('the readiness check caches its answer for a second', async () => {
  const check = createCheck();
  await check();
  nowMs += 999;
  expect(await check()).toEqual(READY);
  expect(asked).toEqual({ postgres: 1, temporal: 1 });
  nowMs += 1;
  expect(await check()).toEqual(READY);
  expect(asked).toEqual({ postgres: 2, temporal: 2 });
});

test('the readiness check caches a failure and skips a Postgres that is known to be down', async () => {
  const url = 'postgres://nobody:nothing@127.0.0.1:1/none';
  const gone = createDatabase({ url, poolMax: 1 });
  const goneDetector = detectorFor(url);
  const check = createCheck({ knex: gone.knex, detector: goneDetector });
  const failed = { postgres: false, temporal: true, isStopping: false };
  expect([await check(), await check()]).toEqual([failed, failed]);
  expect(asked.temporal).toBe(1);
  nowMs += 1_000;
  await check();
  expect(asked.temporal).toBe(2);
  // Known by now: Postgres is not even asked.
  const knows = createCheck({ knex: counted, detector: goneDetector });
  expect(await knows()).toEqual(failed);
  expect(asked.postgres).toBe(0);
  await goneDetector.close();
  await gone.close();
});
