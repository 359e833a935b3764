import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../support/database.ts';

const PAGE = new URL('../../docs/operators.md', import.meta.url);

/** Names in the first column of the table below the heading. */
async function listedTables(): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8');
  const [, section = ''] = page.split('\n## What grows, and what ends it\n');
  const rows = section.split('\n## ')[0]!.matchAll(/^\| `(\w+)` +\|[^|]*\w[^|]*\|[^|]*\w[^|]*\|$/gm);
  return [...rows].map(([, name]) => name!);
}

/** Tables of the schema without their partitions and without the migrator's own. */
async function tables(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select relname name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not like 'knex_%'`,
  );
  await client.end();
  return rows.map(({ name }) => name);
}

test('docs/operators.md lists for every table what adds and what removes rows', async () => {
  const database = await createTestDatabase();
  const [present, listed] = [await tables(database.url), await listedTables()];
  await database.drop();
  expect(listed.toSorted()).toEqual(present.toSorted());
});
