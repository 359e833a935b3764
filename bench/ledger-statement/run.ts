/**
 * Compares the ledger's statement, without a destination and with all workspaces logged, with a statement without the
 * broadcast log. The statements alternate batch by batch on one connection. Then it compares what rows and their sums
 * cost Postgres, apart and in one statement. Arguments: batches of each size in one round, and rounds.
 */
import pg from 'pg';
import { encodeGenerations } from '../../db/ledger/ledger-rows.ts';
import { APPEND_OF_KNOWN_APPS } from '../../db/ledger/ledger-statement.ts';
import { createLedgerStore } from '../../db/ledger/ledger-store.ts';
import { run, withValues } from '../../db/postgres/statement.ts';
import { createDatabase } from '../../test/support/open-database.ts';
import { newUuid } from '../../domain/ids.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { makeGeneration } from '../../test/support/make-generation.ts';
import { median, renderTable, spread } from '../table.ts';
import { measureSums } from './sums.ts';

/** The least share of rows per second that workspaces without destinations must keep. */
const BAR = 0.97;
const [batches = 60, rounds = 5] = process.argv.slice(2).map(Number);
const SIZES = [1, 32, 200, 500];
const WORKSPACES = 50;
const SHARD = 3;

const { url, drop } = await createTestDatabase();
const client = new pg.Client({ connectionString: url });
await client.connect();
const { knex, close } = createDatabase({ url, poolMax: 1 });
await createLedgerStore(knex).ensurePartition(new Date());
await close();

const makePlaces = () =>
  Array.from({ length: WORKSPACES }, (_, n) => ({
    organizationId: newUuid(),
    workspaceId: newUuid(),
    keyId: n + 1,
  }));
const plain = makePlaces();
const logged = makePlaces();
for (const { organizationId, workspaceId } of logged) await startLogging(organizationId, workspaceId);

const LOG = /,\s+-- Last, as its locks are the last in the order\..*?\n {2}\)(?=\n {2}select)/s;
const BEFORE = {
  ...APPEND_OF_KNOWN_APPS,
  name: 'without-log',
  text: APPEND_OF_KNOWN_APPS.text.replace(LOG, '').replace('(select workspaces from logged)', 'null::uuid[]'),
};
if (/append_to_broadcast_log|from logged/.test(BEFORE.text)) {
  throw new Error('the statement has another form than this benchmark knows');
}

const SIDES = {
  before: { statement: BEFORE, places: plain },
  none: { statement: APPEND_OF_KNOWN_APPS, places: plain },
  logged: { statement: APPEND_OF_KNOWN_APPS, places: logged },
};
type Side = keyof typeof SIDES;
const ORDER: Side[] = ['before', 'none', 'logged'];

const table: string[][] = [];
for (const size of SIZES) {
  const ratios = { none: [] as number[], logged: [] as number[] };
  const beforeMs: number[] = [];
  for (let n = 0; n <= rounds; n += 1) {
    const times = await round(size);
    // The first round is the warm-up.
    if (n === 0) continue;
    beforeMs.push(times.before);
    ratios.none.push(times.before / times.none);
    ratios.logged.push(times.before / times.logged);
  }
  const verdict = median(ratios.none) >= BAR ? 'ok' : 'BELOW';
  table.push(
    [`batches of ${size}: before the log, ms`, ...spread(beforeMs, 2), ''],
    ['ratio without a destination', ...spread(ratios.none, 2), `${BAR} ${verdict}`],
    ['ratio with all workspaces logged', ...spread(ratios.logged, 2), ''],
  );
}
const written = await client.query<{ n: string }>('select count(*) n from broadcast_log');
if (written.rows[0]!.n === '0') throw new Error('nothing was logged: this was no measurement');
await client.end();
process.stdout.write(
  `\n${rounds} rounds of ${batches} batches, ${WORKSPACES} workspaces, medians of a round\n\n${renderTable(
    ['', 'min', 'median', 'max', 'bar'],
    table,
  )}\n`,
);
process.stdout.write(`\n${await measureSums(url, rounds)}\n`);
await drop();

/** Returns the median time of a batch on each side. */
async function round(size: number): Promise<Record<Side, number>> {
  const times: Record<Side, number[]> = { before: [], none: [], logged: [] };
  for (let n = 0; n < batches; n += 1) {
    // Rotates the order, so that each side runs first equally often.
    const order = [...ORDER.slice(n % ORDER.length), ...ORDER.slice(0, n % ORDER.length)];
    for (const side of order) times[side].push(await timeBatch(side, size));
  }
  return { before: median(times.before), none: median(times.none), logged: median(times.logged) };
}

async function timeBatch(side: Side, size: number): Promise<number> {
  const { statement, places } = SIDES[side];
  const broadcast = { parameters: { temperature: 0.5 }, trace: { trace_name: 'support', tenant: 'acme' } };
  const records = Array.from({ length: size }, (_, n) => {
    const place = places[n % WORKSPACES]!;
    // The API collects facts for broadcasts only in workspaces with a destination.
    return makeGeneration({ ...place, ...(side === 'logged' ? { broadcast } : {}) });
  });
  const values = encodeGenerations(records, SHARD, new Map()).slice(0, -2);
  const startedAtMs = performance.now();
  await run(client, withValues(statement, values));
  return performance.now() - startedAtMs;
}

async function startLogging(organizationId: string, workspaceId: string): Promise<void> {
  await client.query(`insert into organizations (id, name) values ($1, 'O')`, [organizationId]);
  await client.query(
    `insert into workspaces (id, organization_id, name, slug) values ($1, $2, 'W', 'w-' || left($1::uuid::text, 8))`,
    [workspaceId, organizationId],
  );
  await client.query(`insert into broadcast_heads (workspace_id, shard, is_logged) values ($1, $2, true)`, [
    workspaceId,
    SHARD,
  ]);
}
