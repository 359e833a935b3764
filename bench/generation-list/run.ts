/**
 * Measures how long pages of `GET /generations` take over a synthetic history: without a filter, by workspace, by key
 * and by model, from the first page and from random places. Arguments: generations, and requests of each kind.
 */
import { readSeedOptions } from '../../dev/seed/options.ts';
import { seedHistory } from '../../dev/seed/seed-history.ts';
import { withPartitions } from '../../db/ledger/partition-store.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { renderTable } from '../table.ts';
import { copyHistory, valuesOf } from './copy-history.ts';

const [generations = 1_000_000, requests = 200] = process.argv.slice(2).map(Number);
const DAYS = 30;
/** The most generations that the ledger writes; the others are copies of them. */
const MAX_WRITTEN = 500_000;
/** The time in which 95 % of the pages must arrive, in milliseconds. */
const BAR_MS = 50;

const gateway = await startMeasuredGateway();
const written = Math.min(generations, MAX_WRITTEN);
const options = readSeedOptions(['--generations', `${written}`, '--days', `${DAYS}`], Date.now());
await seedHistory(options, {
  databaseUrl: gateway.databaseUrl,
  environment: 'test',
  output: process.stdout,
  stopping: new AbortController().signal,
});
await copyHistory(gateway.database, Math.round(generations / written) - 1);
// The worker's schedule does this.
await withPartitions(gateway.databaseUrl, (partitions) => partitions.indexBefore(new Date()));
await gateway.database.query('vacuum analyze');

/** The values of each filter, all that occur in the ledger. */
const FILTERS: Record<string, string[]> = {
  workspace_id: await valuesOf(gateway.database, 'select distinct workspace_id::text value from daily_usage'),
  api_key_hash: await valuesOf(
    gateway.database,
    'select hash value from api_keys where id in (select key_id from daily_usage)',
  ),
  model: await valuesOf(gateway.database, 'select distinct model value from daily_usage'),
  status: ['failed', 'cancelled'],
};

const table: string[][] = [];
table.push(await measure('no filter', () => ({})));
for (const [name, values] of Object.entries(FILTERS)) {
  table.push(
    await measure(`${name}, ${values.length} values`, (n) => ({ [name]: values[n % values.length]! })),
  );
}
await gateway.close();
const header = ['pages by', 'median, ms', 'p95, ms', 'longest, ms', 'bar of p95, ms', 'without a full page'];
process.stdout.write(`\n${generations} generations of ${DAYS} days\n\n${renderTable(header, table)}\n`);

/** Reads first pages and pages from a random time of the history, in turns. Returns a row of the table. */
async function measure(name: string, queryOf: (n: number) => Record<string, string>): Promise<string[]> {
  const waits: number[] = [];
  let partial = 0;
  for (let n = 0; n < requests; n += 1) {
    const end = options.until.getTime() - Math.random() * DAYS * 86_400_000;
    const place = n % 2 === 0 ? {} : { end: new Date(end).toISOString() };
    const query = new URLSearchParams({ ...queryOf(n >> 1), ...place }).toString();
    const startedMs = performance.now();
    const response = await fetch(`${gateway.origin}/api/v1/generations?${query}`, {
      headers: { authorization: `Bearer ${gateway.managementKey}` },
    });
    const { data } = (await response.json()) as { data: unknown[] };
    waits.push(performance.now() - startedMs);
    if (response.status !== 200) throw new Error(`${response.status}`);
    if (data.length < 50) partial += 1;
  }
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number): string => sorted[Math.ceil(share * sorted.length) - 1]!.toFixed(1);
  process.stdout.write(`${name}: done\n`);
  return [name, at(0.5), at(0.95), at(1), String(BAR_MS), String(partial)];
}
