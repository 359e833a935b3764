import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { withPartitions } from '../../../db/ledger/partition-store.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test('forgetTags deletes all tags before the day, of all classifiers, and no others', async () => {
  await client.query(`
    with organization as (insert into organizations (id, name) values (gen_random_uuid(), 'O') returning id),
    workspace as (
      insert into workspaces (id, organization_id, name, slug)
      select gen_random_uuid(), id, 'W', 'w' from organization returning id
    ),
    classifier as (
      insert into classifiers (id, workspace_id, name)
      select gen_random_uuid(), id, n::text from workspace, generate_series(1, 3) n returning id
    )
    insert into classifier_tags (classifier_id, created_at, generation_id, dimension, value)
    select id, at, n::text, 'topic', 'x'
    from classifier, generate_series(1, 7000) n,
      unnest(array['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z']::timestamptz[]) at`);
  await withPartitions(database.url, (store) => store.forgetTags(new Date('2026-03-01T12:00:00Z')));
  const { rows } = await client.query(
    'select created_at at, count(*)::integer tags from classifier_tags group by 1',
  );
  expect(rows).toEqual([{ at: new Date('2026-03-01T00:00:00Z'), tags: 21_000 }]);
});

test('listBefore lists days under a plan that reads other tables first', async () => {
  await client.query(
    `select ensure_ledger_partition(day) from unnest(array['2026-03-01', '2026-03-02']::date[]) day`,
  );
  // No joins row by row and no indexes: all tables are judged before it is known which of them are partitions.
  const url = `${database.url}?options=${encodeURIComponent('-c enable_nestloop=off -c enable_indexscan=off -c enable_bitmapscan=off')}`;
  const days = await withPartitions(url, (store) => store.listBefore(new Date('2026-03-02T23:00:00Z')));
  expect(days).toEqual(['2026-03-01']);
});
