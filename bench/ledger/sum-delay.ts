/** Measures how soon committed rows are in counters and rollups. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { summed } from '../../test/support/summed.ts';
import { spread } from '../table.ts';

/** The rows that are offered in a second, and the longest time that 99 % of them may take to their sum. */
const OFFERED = 2_000;
const BAR_MS = 600;
const EVERY_MS = 5;

/** Returns rows for a table with percentiles over the rounds, in milliseconds. */
export async function measureSumDelay(
  record: () => Promise<void>,
  pool: pg.Pool,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<string[][]> {
  await summed(pool);
  const halves: number[] = [];
  const most: number[] = [];
  for (let n = 0; n <= rounds; n += 1) {
    const delaysMs = await round(record, pool, seconds * 1_000);
    // The first round is the warm-up.
    if (n === 0) continue;
    halves.push(partOf(delaysMs, 0.5));
    most.push(partOf(delaysMs, 0.99));
  }
  return [
    [`from commit to sum at ${OFFERED} rows/s: half of the rows`, ...spread(halves, 0), ''],
    ['99 %', ...spread(most, 0), `${BAR_MS}`],
  ];
}

/** Returns the time from commit to sum of each row, in their order: a sum takes all rows that are committed. */
async function round(record: () => Promise<void>, pool: pg.Pool, forMs: number): Promise<number[]> {
  const before = await countSummed(pool);
  const committedAtMs: number[] = [];
  const delaysMs: number[] = [];
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver || delaysMs.length < committedAtMs.length) {
      const summed = (await countSummed(pool)) - before;
      const nowMs = performance.now();
      while (delaysMs.length < Math.min(summed, committedAtMs.length)) {
        delaysMs.push(nowMs - committedAtMs[delaysMs.length]!);
      }
      await delay(EVERY_MS);
    }
  };
  const watching = watch();
  const startedAtMs = performance.now();
  const recording: Promise<void>[] = [];
  for (let elapsedMs = 0; elapsedMs < forMs; elapsedMs = performance.now() - startedAtMs) {
    while (recording.length < (elapsedMs * OFFERED) / 1_000) {
      recording.push(record().then(() => void committedAtMs.push(performance.now())));
    }
    await delay(EVERY_MS);
  }
  await Promise.all(recording);
  isOver = true;
  await watching;
  return delaysMs;
}

async function countSummed(pool: pg.Pool): Promise<number> {
  const text = 'select coalesce(sum(request_count), 0)::integer n from organization_usage_totals';
  const { rows } = await pool.query<{ n: number }>({ name: 'summed', text });
  return rows[0]!.n;
}

/** Returns the time within which this part of the rows was summed. */
function partOf(delaysMs: number[], part: number): number {
  return delaysMs.toSorted((a, b) => a - b)[Math.floor(delaysMs.length * part)]!;
}
