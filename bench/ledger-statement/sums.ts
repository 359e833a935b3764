/** Measures what rows cost Postgres that are summed in their own statement, and those that are summed later. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { encodeGenerations } from '../../db/ledger/ledger-rows.ts';
import { SUM_GENERATIONS } from '../../db/ledger/ledger-sums.ts';
import { APPEND_OF_KNOWN_APPS, RECORD_GENERATIONS } from '../../db/ledger/ledger-statement.ts';
import { run, withValues } from '../../db/postgres/statement.ts';
import { newUuid } from '../../domain/ids.ts';
import { makeGeneration } from '../../test/support/make-generation.ts';
import { median, renderTable, spread } from '../table.ts';

/** The most that rows summed later may cost, of what one statement costs, in batches of twelve. */
const BAR = 0.5;
const SIZES = [12, 32, 200];
const ROWS = 3_600;
/** The rows of a quarter of a second at 1,000 a second: so many are summed together. */
const ROWS_OF_SUM = 250;
const SHARD = 3;
/** The organizations with a key each, and their models. */
const MIXES = [
  { keys: 1, models: 1 },
  { keys: 15, models: 8 },
  { keys: 50, models: 40 },
];

interface Session {
  client: pg.Client;
  /** The processor time of its backend so far, in milliseconds. */
  cpuMs(): number;
}

/** Returns a table of the processor time for a row on each side, by sizes of batches and by how many share a sum. */
export async function measureSums(url: string, rounds: number): Promise<string> {
  const [whole, later, sums] = [await open(url), await open(url), await open(url)];
  const rows: string[][] = [];
  for (const mix of MIXES) {
    for (const size of SIZES) {
      const makeBatch = batchesOf(mix, size);
      const costs = { whole: [] as number[], later: [] as number[], ratios: [] as number[] };
      for (let n = 0; n <= rounds; n += 1) {
        const one = await costOf([whole], size, makeBatch, (batch) =>
          run(whole.client, withValues(RECORD_GENERATIONS, batch)),
        );
        let waiting = 0;
        const two = await costOf([later, sums], size, makeBatch, async (batch) => {
          await run(later.client, withValues(APPEND_OF_KNOWN_APPS, batch.slice(0, -2)));
          waiting += size;
          if (waiting < ROWS_OF_SUM) return;
          waiting = 0;
          await run(sums.client, SUM_GENERATIONS, { shard: SHARD, most: 2 * ROWS });
        });
        await run(sums.client, SUM_GENERATIONS, { shard: SHARD, most: 2 * ROWS });
        // The first round is the warm-up.
        if (n === 0) continue;
        costs.whole.push(one);
        costs.later.push(two);
        costs.ratios.push(two / one);
      }
      const name = `${size} rows, ${mix.keys} keys, ${mix.models} models`;
      const middles = [median(costs.whole), median(costs.later)].map((micros) => micros.toFixed(0));
      rows.push([name, ...middles, ...spread(costs.ratios, 2), size === 12 ? String(BAR) : '']);
      process.stdout.write(`${name}: done\n`);
    }
  }
  for (const { client } of [whole, later, sums]) await client.end();
  return renderTable(
    ['µs of Postgres a row', 'one statement', 'sums later', 'ratio, min', 'median', 'max', 'bar'],
    rows,
  );
}

async function open(url: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() pid');
  const file = `/proc/${rows[0]!.pid}/stat`;
  return {
    client,
    cpuMs() {
      const fields = readFileSync(file, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
  };
}

type Batch = ReturnType<typeof encodeGenerations>;

function batchesOf({ keys, models }: (typeof MIXES)[number], size: number): () => Batch {
  const places = Array.from({ length: keys }, (_, n) => ({
    organizationId: newUuid(),
    workspaceId: newUuid(),
    keyId: n + 1,
  }));
  // The first ones occur more often, as they do in reality.
  const pick = (count: number): number => Math.floor(Math.random() ** 2 * count);
  return () => {
    const generations = Array.from({ length: size }, () =>
      makeGeneration({ ...places[pick(keys)]!, model: `vendor/model-${pick(models)}` }),
    );
    return encodeGenerations(generations, SHARD, new Map());
  };
}

/** Returns the microseconds of these sessions for a row. */
async function costOf(
  sessions: Session[],
  size: number,
  makeBatch: () => Batch,
  write: (batch: Batch) => Promise<unknown>,
): Promise<number> {
  const batches = Array.from({ length: Math.round(ROWS / size) }, makeBatch);
  const cpuMs = (): number => sessions.reduce((sum, session) => sum + session.cpuMs(), 0);
  const before = cpuMs();
  for (const batch of batches) await write(batch);
  return ((cpuMs() - before) * 1_000) / (batches.length * size);
}
