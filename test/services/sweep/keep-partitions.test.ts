import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { newGenerationId } from '../../../domain/ids.ts';
import { keepPartitions } from '../../../services/sweep/keep-partitions.ts';
import { eventually } from '../../support/eventually.ts';
import { type LedgerScene, openLedgerScene } from '../../support/ledger-scene.ts';
import { makeGeneration } from '../../support/make-generation.ts';
import { summed } from '../../support/summed.ts';

let scene: LedgerScene;
beforeEach(async () => {
  scene = await openLedgerScene();
});
afterEach(() => scene.close());

const NOW = new Date('2026-03-31T10:00:00Z');
const RETENTION_MS = 30 * 86_400_000;

const keep = () =>
  keepPartitions({ url: scene.databaseUrl, retentionMs: RETENTION_MS, logger: scene.logger }, NOW);

async function partitions(): Promise<string[]> {
  const { rows } = await scene.database.query<{ name: string }>(
    `select c.relname name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where c.relkind = 'r' and i.inhparent::regclass::text like 'generation%' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** One on each day, with its id's time in the evening and its settlement on the next day. */
async function recordOn(...days: string[]): Promise<void> {
  const ledger = await scene.open();
  for (const day of days) {
    const createdMs = Date.parse(`${day}T23:00:00Z`);
    await ledger.record(
      makeGeneration({
        id: newGenerationId(createdMs),
        settledAt: new Date(createdMs + 2 * 3_600_000),
        keyId: 7,
      }),
    );
  }
  await summed(scene.database);
}

test('three days ahead get partitions, and days past the retention lose theirs', async () => {
  await recordOn('2026-02-27', '2026-02-28', '2026-03-01', '2026-03-30');
  expect(await keep()).toEqual({ dropped: 2, busy: 0 });
  const days = ['20260301', '20260330', '20260331', '20260401', '20260402', '20260403'];
  expect(await partitions()).toEqual([
    ...days.map((day) => `generation_details_${day}`),
    ...days.map((day) => `generations_${day}`),
  ]);
  expect(await keep()).toEqual({ dropped: 0, busy: 0 });
});

test('dropped generations still count, and verification still finds a wrong counter', async () => {
  await recordOn('2026-02-27', '2026-02-28', '2026-03-01', '2026-03-30');
  await keep();
  expect(await scene.verify()).toMatch(/The ledger agrees\.$/);
  const { rows } = await scene.database.query(
    'select request_count::integer n, usage_nanos from key_usage_totals where key_id = 7',
  );
  expect(rows).toEqual([{ n: 4, usage_nanos: '4000' }]);
  await scene.database.query('update dropped_generations set usage_nanos = usage_nanos - 1');
  expect(await scene.verify()).toMatch(/The ledger does NOT agree\.$/);
});

test('tags are dropped together with their generations', async () => {
  await recordOn('2026-02-28', '2026-03-01');
  await scene.database.query(`
    with organization as (insert into organizations (id, name) values (gen_random_uuid(), 'O') returning id),
    workspace as (
      insert into workspaces (id, organization_id, name, slug)
      select gen_random_uuid(), id, 'W', 'w' from organization returning id
    ),
    classifier as (
      insert into classifiers (id, workspace_id, name) select gen_random_uuid(), id, 'C' from workspace returning id
    )
    insert into classifier_tags (classifier_id, created_at, generation_id, dimension, value)
    select classifier.id, g.created_at, g.id, 'topic', 'x' from classifier, generations g`);
  await keep();
  const { rows } = await scene.database.query('select generation_id from classifier_tags');
  const kept = await scene.database.query('select id generation_id from generations');
  expect(rows).toEqual(kept.rows);
  expect(rows).toHaveLength(1);
});

test('a partition that a transaction uses stays for later, and writes do not wait', async () => {
  await recordOn('2026-02-27');
  const reader = new pg.Client({ connectionString: scene.databaseUrl });
  await reader.connect();
  await reader.query('begin');
  await reader.query('select count(*) from generations');
  expect(await keep()).toEqual({ dropped: 0, busy: 1 });
  await recordOn('2026-03-31');
  await reader.query('commit');
  await reader.end();
  expect(await keep()).toEqual({ dropped: 1, busy: 0 });
});

test('a partition used for a moment is dropped after it, and writes continue meanwhile', async () => {
  await recordOn('2026-02-27', '2026-03-31');
  const reader = new pg.Client({ connectionString: scene.databaseUrl });
  await reader.connect();
  await reader.query('begin');
  await reader.query('select count(*) from generations');
  const kept = keep();
  await eventually('a second try', async () => {
    const { rowCount } = await scene.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    return rowCount === 1 ? true : undefined;
  });
  await recordOn('2026-03-31');
  await reader.query('commit');
  await reader.end();
  expect(await kept).toEqual({ dropped: 1, busy: 0 });
  expect(await scene.verify()).toMatch(/The ledger agrees\.$/);
});

test('past days get the indexes of lists, once, and today has only a summary of its models', async () => {
  await recordOn('2026-03-29', '2026-03-30', '2026-03-31');
  await scene.database.query('create index generations_20260329_newest on generations_20260329 (model)');
  await scene.database.query(
    `update pg_index set indisvalid = false where indexrelid = 'generations_20260329_newest'::regclass`,
  );
  const indexes = async (): Promise<string[]> => {
    const { rows } = await scene.database.query<{ definition: string }>(
      `select regexp_replace(pg_get_indexdef(indexrelid), '.* INDEX (\\S+) .*\\((.*)\\)', '\\1: \\2') definition
       from pg_index where indexrelid::regclass::text ~ '^generations_.*(newest|of_model)$' and indisvalid order by 1`,
    );
    return rows.map(({ definition }) => definition);
  };
  await keep();
  const built = await indexes();
  expect(built).toEqual([
    'generations_20260329_newest: organization_id, created_at, workspace_id, key_id',
    'generations_20260329_of_model: organization_id, model, created_at',
    'generations_20260330_newest: organization_id, created_at, workspace_id, key_id',
    'generations_20260330_of_model: organization_id, model, created_at',
  ]);
  const today = await scene.database.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where tablename = 'generations_20260331' and indexdef like '%USING brin%'`,
  );
  expect(today.rows.map(({ indexdef }) => indexdef)).toEqual([
    expect.stringMatching(/\(model text_bloom_ops\).*autosummarize='on'/),
  ]);
  const { rows: before } = await scene.database.query('select max(oid::bigint) from pg_class');
  await keep();
  const { rows: after } = await scene.database.query('select max(oid::bigint) from pg_class');
  expect(after).toEqual(before);
});

test('an open transaction delays the indexes of lists, and nothing else', async () => {
  await recordOn('2026-03-30');
  const holder = new pg.Client({ connectionString: scene.databaseUrl });
  await holder.connect();
  await holder.query('begin isolation level repeatable read');
  await holder.query('select from generations');
  expect(await keep()).toEqual({ dropped: 0, busy: 0 });
  const valid = async (): Promise<number> => {
    const { rows } = await scene.database.query<{ n: number }>(
      `select count(*)::int n from pg_index
       where indexrelid::regclass::text ~ '^generations_.*(newest|of_model)$' and indisvalid`,
    );
    return rows[0]!.n;
  };
  expect(await valid()).toBeLessThan(2);
  await holder.end();
  await keep();
  expect(await valid()).toBe(2);
});
