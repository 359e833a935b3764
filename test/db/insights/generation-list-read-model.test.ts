import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import {
  createGenerationListReadModel,
  type GenerationScan,
} from '../../../db/insights/generation-list-read-model.ts';
import { createLedgerStore } from '../../../db/ledger/ledger-store.ts';
import { type GenerationFilter, positionBefore } from '../../../domain/insights/generation-list.ts';
import { newGenerationId, newUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeGeneration } from '../../support/make-generation.ts';

let testDatabase: TestDatabase;
let database: Database;

const NOON = Date.parse('2026-03-01T12:00:00Z');
const [organizationId, workspaceId] = [newUuid(), newUuid()];
const scope = { organizationId };
/** One generation a minute, the newest first; every tenth failed. Two are of a rare model. */
const RARE = 'vendor/rare';
const ids = Array.from({ length: 50 }, (_, n) => newGenerationId(NOON - n * 60_000));

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
  const ledger = createLedgerStore(database.knex);
  await ledger.ensurePartition(new Date(NOON));
  for (const [n, id] of ids.entries()) {
    const status = n % 10 === 9 ? 'failed' : 'completed';
    const model = n === 20 || n === 40 ? { model: RARE } : {};
    await ledger.record(makeGeneration({ ...scope, workspaceId, id, status, ...model }), 0);
  }
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

type Changes = Partial<GenerationScan> & { limit: number; maxScanned: number };

function scan(filter: GenerationFilter, changes: Changes) {
  return createGenerationListReadModel(database.knex).scan({
    scope,
    workspaceIds: [workspaceId],
    isIndexed: true,
    filter,
    from: new Date(NOON - 86_400_000),
    after: positionBefore(new Date(NOON + 1)),
    ...changes,
  });
}

describe('a scan of the list', () => {
  test('stops behind the last match of a full page', async () => {
    const { matches, stoppedAt } = await scan({}, { limit: 3, maxScanned: 100 });
    expect(matches.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(stoppedAt).toMatchObject({ id: ids[2] });
  });

  test('stops behind the last row that it may look at, a match or not', async () => {
    const within = await scan({ status: 'failed' }, { limit: 5, maxScanned: 25 });
    expect(within.matches.map(({ id }) => id)).toEqual([ids[9], ids[19]]);
    expect(within.stoppedAt).toMatchObject({ id: ids[24] });
    const onMatch = await scan({ status: 'failed' }, { limit: 5, maxScanned: 20 });
    expect(onMatch.matches.map(({ id }) => id)).toEqual([ids[9], ids[19]]);
    expect(onMatch.stoppedAt).toMatchObject({ id: ids[19] });
  });

  test.each([true, false])('looks at no row of another model: %s', async (isIndexed) => {
    const changes = { isIndexed, limit: 100, maxScanned: 10 };
    const { matches, stoppedAt } = await scan({ model: RARE }, changes);
    expect([matches.map(({ id }) => id), stoppedAt]).toEqual([[ids[20], ids[40]], undefined]);
  });

  test('goes on where another one stopped', async () => {
    const first = await scan({ status: 'failed' }, { limit: 5, maxScanned: 25 });
    const second = await scan({ status: 'failed' }, { after: first.stoppedAt!, limit: 5, maxScanned: 25 });
    expect(second.matches.map(({ id }) => id)).toEqual([ids[29], ids[39], ids[49]]);
    expect(second.stoppedAt).toMatchObject({ id: ids[49] });
  });

  test('reports no stop at the end of its part', async () => {
    const { matches, stoppedAt } = await scan({ status: 'failed' }, { limit: 6, maxScanned: 100 });
    expect(matches).toHaveLength(5);
    expect(stoppedAt).toBeUndefined();
  });

  test('finds the same without the indexes of past days', async () => {
    const filters: GenerationFilter[] = [
      {},
      { status: 'failed' },
      { model: 'a/b' },
      { keyId: 1, workspaceId },
    ];
    for (const filter of filters) {
      const [past, today] = [true, false].map((isIndexed) =>
        scan(filter, { isIndexed, limit: 4, maxScanned: 45 }),
      );
      expect(await today).toEqual(await past);
      expect((await today)?.matches).toHaveLength(4);
    }
  });
});
