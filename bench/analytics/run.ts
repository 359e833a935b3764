/** Measures analytics queries through the API, and compares them with reading the generations themselves. */
import { createAnalyticsLookups, withUnresolved } from '../../db/insights/analytics-lookups.ts';
import { createAnalyticsReadModel } from '../../db/insights/analytics-read-model.ts';
import { createDatabase } from '../../test/support/open-database.ts';
import type { Metric } from '../../domain/insights/analytics-metrics.ts';
import { readSeedOptions } from '../../dev/seed/options.ts';
import { seedHistory } from '../../dev/seed/seed-history.ts';
import { startMeasuredGateway } from '../gateway-process.ts';
import { median, renderTable, spread } from '../table.ts';
import { rollupBytes } from './rollup-bytes.ts';

/** The generations of the history, the rounds, and the requests of a round. */
const [generations = 1_000_000, rounds = 5, requests = 40] = process.argv.slice(2).map(Number);
const DAYS = 30;

interface Question {
  name: string;
  metrics: Metric[];
}

const QUESTIONS: Question[] = [
  { name: 'cost', metrics: ['total_usage', 'request_count', 'tokens_total'] },
  { name: 'latency', metrics: ['latency_p50', 'latency_p95', 'throughput_avg', 'error_rate'] },
];

const gateway = await startMeasuredGateway();
const options = readSeedOptions(['--generations', `${generations}`, '--days', `${DAYS}`], Date.now());
await seedHistory(options, {
  databaseUrl: gateway.databaseUrl,
  environment: 'test',
  output: process.stdout,
  stopping: new AbortController().signal,
});
await gateway.database.query('vacuum analyze');
const range = { start: new Date(options.until.getTime() - DAYS * 86_400_000), end: options.until };

const database = createDatabase({ url: gateway.databaseUrl, poolMax: 1 });
const { rows } = await gateway.database.query<{ id: string }>('select id from organizations');
const organizationId = rows[0]!.id;
const { ids, defaultId } = await createAnalyticsLookups(database.knex).workspacesOf(organizationId);
const scope = { organizationId, workspaceIds: withUnresolved(ids, defaultId), defaultWorkspaceId: defaultId };
const raw = createAnalyticsReadModel(database.knex);

const table: string[][] = [];
for (const question of QUESTIONS) {
  const waits = { api: [] as number[], raw: [] as number[] };
  await sendQuery(question);
  await readRows(question);
  for (let n = 1; n <= rounds; n += 1) {
    for (let request = 0; request < requests; request += 1)
      waits.api.push(await timed(() => sendQuery(question)));
    waits.raw.push(await timed(() => readRows(question)));
    process.stdout.write(`${question.name}: round ${n} of ${rounds} done\n`);
  }
  const p95 = waits.api.toSorted((a, b) => a - b)[Math.floor(0.95 * waits.api.length)]!;
  table.push(
    [`${question.name}: through the API, ms`, ...spread(waits.api, 1), ''],
    ['its p95, ms', '', p95.toFixed(1), '', '150'],
    ['the same SQL on the rows, ms', ...spread(waits.raw, 0), ''],
    ['times as fast, by medians', '', (median(waits.raw) / median(waits.api)).toFixed(1), '', '20'],
  );
}
const sizes = await rollupBytes(gateway.database);
await database.close();
await gateway.close();
process.stdout.write(
  `\n${generations} generations, ${DAYS} days by day and model, ${rounds} rounds of ${requests} requests and one reading of the rows\n\n${renderTable(
    ['', 'min', 'median', 'max', 'bar'],
    table,
  )}\n\n${renderTable(['table', 'rows', 'MB', 'MB a million generations'], sizes)}\n`,
);

async function sendQuery({ metrics }: Question): Promise<void> {
  const response = await fetch(`${gateway.origin}/api/v1/analytics/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metrics, dimensions: ['model'], granularity: 'day', time_range: range }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
}

async function readRows({ metrics }: Question): Promise<void> {
  await raw.read({
    scope,
    metrics,
    dimensions: ['model'],
    filters: [],
    granularity: 'day',
    parts: [{ source: 'rows', ...range }],
    limit: 10_000,
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}
