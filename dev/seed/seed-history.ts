/** Fills a database with a synthetic history, so that analytics and rankings have data to show. */
import os from 'node:os';
import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { createDatabase } from '../../db/postgres/connection.ts';
import { shardOfProcess } from '../../domain/shard.ts';
import { addDays, daysBetween, startOf, type UtcDay, utcDayOf } from '../../domain/utc-day.ts';
import { createLogger } from '../../platform/logger.ts';
import { rebuildDays } from '../../services/insights/rankings/close-days.ts';
import { prepareAccounts } from './synthetic-accounts.ts';
import { makeHistory } from './history.ts';
import { createWeightedCatalog } from './weighted-catalog.ts';
import type { SeedOptions } from './options.ts';
import { requireSeedable } from './require-seedable.ts';
import { createSeedProgress } from './seed-progress.ts';
import { writeHistory } from './write-history.ts';

export interface SeedTarget {
  databaseUrl: string;
  /** `SLUICE_ENV`. */
  environment: string | undefined;
  output: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
  /** Stops after the current batch. */
  stopping: AbortSignal;
}

/**
 * The rows of a batch, ten times the API's largest. The sums of a batch cover about an hour, and are written once each.
 */
const BATCH_ROWS = 5_000;

/**
 * Writes synthetic generations, and the rankings of their days. Throws a StackError if the database must not be seeded.
 */
export async function seedHistory(options: SeedOptions, target: SeedTarget): Promise<void> {
  const { databaseUrl, environment, output, stopping } = target;
  const { knex, close } = createDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'sluice-seed' });
  const say = (text: string): void => void output.write(`${text}\n`);
  try {
    const organizationId = await requireSeedable(knex, databaseUrl, { ...options, environment });
    const accounts = await prepareAccounts(knex, organizationId);
    const catalog = createWeightedCatalog(await createCatalogStore(knex).load(), options.seed);
    const days = daysOf(options);
    say(`Writing ${options.generations} synthetic generations of ${options.days} days (Ctrl-C stops it):`);
    const progress = createSeedProgress(options.generations, output);
    await writeHistory(makeHistory(accounts, catalog, { ...options, batchRows: BATCH_ROWS }), {
      databaseUrl,
      shard: shardOfProcess(os.hostname(), process.pid),
      days: days.map(startOf),
      onWritten: progress.add,
      stopping,
    });
    say(progress.end());
    say('Adding up the rankings of their days.');
    const logger = createLogger({ level: 'warn', name: 'seed' });
    const kept = await rebuildDays({ url: databaseUrl, logger }, days, new Date());
    if (kept.length > 0) say(`Rankings stay as they were, for what is too old: ${kept.join(', ')}`);
  } finally {
    await close();
  }
}

function daysOf({ until, days }: SeedOptions): UtcDay[] {
  const last = utcDayOf(until);
  return daysBetween(addDays(last, -days), last);
}
