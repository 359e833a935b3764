/** Compares how fast the ledger records generations with bare inserts, and measures how soon it sums them. */
import pg from 'pg';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newUuid } from '../../domain/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import { NO_METRICS } from '../../platform/metrics.ts';
import { createOutageDetector } from '../../db/postgres/outage-detector.ts';
import { openLedger } from '../../services/ledger/open-ledger.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { makeGeneration } from '../../test/support/make-generation.ts';
import { median, renderTable, spread } from '../table.ts';
import { bytesPerMillion } from './bytes-per-million.ts';
import { measureSumDelay } from './sum-delay.ts';

/** The seconds of one round, and the pairs of rounds for each number of callers. */
const [seconds = 3, rounds = 5] = process.argv.slice(2).map(Number);
const CALLERS = [1, 32, 200];
const KEYS = 50;
const MODELS = 20;

const { url, drop } = await createTestDatabase();
const pool = new pg.Pool({ connectionString: url, max: 20 });
const logger = createLogger({ level: 'fatal', name: 'bench' });
const ledger = await openLedger({
  url,
  detector: createOutageDetector({ url, logger }),
  shard: 3,
  metrics: NO_METRICS,
  logger,
});
await pool.query('create table bare_generations (like generations including defaults including indexes)');

const payers = Array.from({ length: KEYS }, (_, n) => ({
  organizationId: newUuid(),
  workspaceId: newUuid(),
  keyId: n + 1,
}));
let made = 0;

function next(): GenerationRecord {
  made += 1;
  const facts = { upstreamId: 'chatcmpl-0123456789abcdef', userAgent: 'openai/6', requestId: `req_${made}` };
  const response = {
    provider: 'a',
    provider_name: 'A',
    endpoint_id: 'a',
    status: 200,
    latency: 90,
    is_byok: false,
  };
  const base = makeGeneration(payers[made % KEYS]);
  const details = { ...base.details, ...facts, providerResponses: [response] };
  return { ...base, model: `author/model-${made % MODELS}`, details };
}

const sides = {
  ledger: (record: GenerationRecord) => ledger.record(record),
  // A program without group commit: one row and one commit, without counters.
  bare: async (record: GenerationRecord) => {
    await pool.query({ name: 'bare', text: BARE, values: bareValues(record) });
  },
};
const BARE = `insert into bare_generations (created_at, settled_at, key_id, organization_id, workspace_id, api_type,
    status, data_region, tool_calls, input_modalities, output_modalities, is_byok, streamed, id, model, provider,
    cost_nanos, tokens_prompt, tokens_completion)
  values ($1, $1, $2, $3, $4, 'completions', 'completed', 'global', 0, 1, 1, false, false, $5, $6, 'a', $7, $8, $9)`;

const table: string[][] = [];
for (const callers of CALLERS) {
  const rates = { ledger: [] as number[], bare: [] as number[] };
  const waits: number[] = [];
  for (let n = 0; n <= rounds; n += 1) {
    for (const side of n % 2 === 1 ? (['ledger', 'bare'] as const) : (['bare', 'ledger'] as const)) {
      const { perSecond, medianMs } = await round(sides[side], callers);
      // The first round is the warm-up.
      if (n === 0) continue;
      rates[side].push(perSecond);
      if (side === 'ledger') waits.push(medianMs);
    }
  }
  table.push(
    [`${callers} callers: ledger, rows/s`, ...spread(rates.ledger, 0)],
    ['its median wait, ms', ...spread(waits, 1)],
    ['one bare insert each, rows/s', ...spread(rates.bare, 0)],
    [
      'ratio',
      ...spread(
        rates.ledger.map((rate, i) => rate / rates.bare[i]!),
        2,
      ),
    ],
  );
}
const delays = await measureSumDelay(() => ledger.record(next()), pool, { seconds, rounds });
await ledger.close();
const sizes = await bytesPerMillion(pool);
await pool.end();
await drop();
process.stdout.write(
  `\n${rounds} rounds of ${seconds} s, ${KEYS} keys, ${MODELS} models\n\n${renderTable(
    ['', 'min', 'median', 'max'],
    table,
  )}\n\n${renderTable(['ms', 'min', 'median', 'max', 'bar'], delays)}\n\nOf a million generations, with their indexes\n\n${renderTable(['table', 'MB'], sizes)}\n`,
);

async function round(record: (row: GenerationRecord) => Promise<void>, callers: number) {
  const waitsMs: number[] = [];
  const endAtMs = performance.now() + seconds * 1_000;
  const call = async (): Promise<void> => {
    while (performance.now() < endAtMs) {
      const startedAtMs = performance.now();
      await record(next());
      waitsMs.push(performance.now() - startedAtMs);
    }
  };
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: callers }, call));
  const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
  return { perSecond: waitsMs.length / elapsedSeconds, medianMs: median(waitsMs) };
}

function bareValues(record: GenerationRecord): unknown[] {
  const { settledAt, keyId, organizationId, workspaceId, id, model, costNanos, usage } = record;
  const tokens = [usage?.prompt, usage?.completion];
  return [settledAt, keyId, organizationId, workspaceId, id, model, costNanos.toString(), ...tokens];
}
