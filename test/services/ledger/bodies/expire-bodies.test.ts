import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { createLoggedBodyStore, type ExpiryPosition } from '../../../../db/ledger/logged-body-store.ts';
import { newUuid } from '../../../../domain/ids.ts';
import type { ObjectStore } from '../../../../platform/object-store.ts';
import { expireBodies } from '../../../../services/ledger/bodies/expire-bodies.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

const HOUR_MS = 3_600_000;

let testDatabase: TestDatabase;
let database: Database;
let deleted: string[];
let refused: Set<string>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
});

beforeEach(async () => {
  deleted = [];
  refused = new Set();
  await database.knex('logged_bodies').delete();
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Bodies under these ids; those with a retention of nothing are over at once. */
async function addBodies(ids: string[], retentionMs: number): Promise<void> {
  const place = { organizationId: newUuid(), workspaceId: newUuid() };
  const bodies = ids.map((id) => ({ generationId: id, ...place, objectKey: `logged/${id}` }));
  await createLoggedBodyStore(database.knex).insert(bodies, retentionMs);
}

const remaining = async (): Promise<string[]> =>
  (await database.knex<{ generation_id: string }>('logged_bodies').orderBy('generation_id')).map(
    (row) => row.generation_id,
  );

const deleteObject: ObjectStore['delete'] = async (key) => {
  if (refused.has(key)) throw new Error('refused');
  deleted.push(key);
};

function expire(limit: number, after?: ExpiryPosition, objectStore = { delete: deleteObject }) {
  const logger = { error: () => undefined };
  return expireBodies({ knex: database.knex, objectStore, logger }, limit, after);
}

/** How many each page of one run removed and could not remove. */
async function expirePages(limit: number): Promise<[number, number][]> {
  const pages: [number, number][] = [];
  let after: ExpiryPosition | undefined;
  do {
    const page = await expire(limit, after);
    pages.push([page.removed, page.failed]);
    after = page.after;
  } while (after !== undefined && pages.length < 20);
  return pages;
}

const idsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `b${String(i).padStart(3, '0')}`);

describe('logged bodies', () => {
  test('disappear with their rows once their retention is over', async () => {
    await addBodies(['old-1', 'old-2'], 0);
    await addBodies(['young'], HOUR_MS);
    expect(await expire(10)).toEqual({ removed: 2, failed: 0 });
    expect(deleted.toSorted()).toEqual(['logged/old-1', 'logged/old-2']);
    expect(await remaining()).toEqual(['young']);
    expect(await expire(10)).toEqual({ removed: 0, failed: 0 });
  });

  test('disappear page by page when all expire at the same moment', async () => {
    await addBodies(idsOf(50), 0);
    expect(await expirePages(20)).toEqual([
      [20, 0],
      [20, 0],
      [10, 0],
    ]);
    expect(await remaining()).toEqual([]);
  });

  test('do not block others when they cannot be removed, and are tried again', async () => {
    await addBodies(idsOf(6), 0);
    for (const id of idsOf(4)) refused.add(`logged/${id}`);
    expect(await expirePages(2)).toEqual([
      [0, 2],
      [0, 2],
      [2, 0],
      [0, 0],
    ]);
    expect(await remaining()).toEqual(idsOf(4));
    refused.clear();
    expect(await expirePages(10)).toEqual([[4, 0]]);
    expect(await remaining()).toEqual([]);
  });

  test('count as failed when the object store does not answer', async () => {
    await addBodies(['heard', 'silent'], 0);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setInterval', 'queueMicrotask'] });
    const objectStore = {
      delete: async (key: string): Promise<void> => {
        if (key.endsWith('heard')) return;
        await jest.advanceTimersByTimeAsync(30_000);
        await new Promise(() => {});
      },
    };
    const page = await expire(10, undefined, objectStore).finally(() => jest.useRealTimers());
    expect(page).toEqual({ removed: 1, failed: 1 });
    expect(await remaining()).toEqual(['silent']);
  });

  test('keep their first expiry when they are recorded twice', async () => {
    await addBodies(['one'], 0);
    await addBodies(['one'], HOUR_MS);
    expect(await expire(10)).toEqual({ removed: 1, failed: 0 });
  });
});
