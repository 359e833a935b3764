import pg from 'pg';

interface Table {
  name: string;
  columns: string;
}

const TABLES = `
  select c.oid::regclass::text "name",
    string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attgenerated = '') columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  group by c.oid order by c.oid`;

const PARTITIONS = `
  select format('create table if not exists %I partition of %s %s',
    c.relname, i.inhparent::regclass, pg_get_expr(c.relpartbound, c.oid)) "create"
  from pg_class c join pg_inherits i on i.inhrelid = c.oid
  where c.relispartition and c.relkind in ('r', 'p')`;

const SEQUENCES = `
  select format('%I', sequencename) "name", last_value from pg_sequences
  where schemaname = 'public' and last_value is not null`;

/**
 * Copies one state of all tables and sequences into a database with the same schema, as a dump and a restore do. Row
 * versions and transaction ids are those of the new server. Both servers run on this machine, under the same account.
 */
export async function copyDatabase(fromUrl: string, toUrl: string): Promise<void> {
  const from = new pg.Client({ connectionString: fromUrl });
  const to = new pg.Client({ connectionString: toUrl });
  await Promise.all([from.connect(), to.connect()]);
  try {
    await from.query('begin isolation level repeatable read');
    await to.query('begin');
    await to.query('set local session_replication_role = replica');
    const { rows: tables } = await from.query<Table>(TABLES);
    await to.query(`truncate ${tables.map(({ name }) => name).join(', ')} cascade`);
    const { rows: partitions } = await from.query<{ create: string }>(PARTITIONS);
    for (const { create } of partitions) await to.query(create);
    const { rows: folders } = await from.query<{ data_directory: string }>('show data_directory');
    const file = pg.escapeLiteral(`${folders[0]!.data_directory}/copied-table`);
    for (const { name, columns } of tables) {
      await from.query(`copy (select ${columns} from ${name}) to ${file}`);
      await to.query(`copy ${name} (${columns}) from ${file}`);
    }
    const { rows: sequences } = await from.query<{ name: string; last_value: string }>(SEQUENCES);
    for (const { name, last_value: last } of sequences) {
      await to.query('select setval($1::regclass, $2)', [name, last]);
    }
    await to.query('commit');
  } finally {
    await Promise.all([from.end(), to.end()]);
  }
}
