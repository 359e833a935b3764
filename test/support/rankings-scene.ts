import pg from 'pg';
import { createDatabase } from './open-database.ts';
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { createRankingsReadModel } from '../../db/insights/rankings-read-model.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newGenerationId, newUuid, timestampOfId } from '../../domain/ids.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import type { CloseDaysDeps } from '../../services/insights/rankings/close-days.ts';
import {
  createRankingsService,
  type RankingsService,
} from '../../services/insights/rankings/rankings-service.ts';
import { createTestDatabase } from './database.ts';
import { makeGeneration } from './make-generation.ts';

/** Names of more models than are ranked by name. */
export const RANKED = Array.from({ length: 53 }, (_, n) => `a/m${String(n).padStart(2, '0')}`);

/** A ledger, a catalog of given models, and rankings of them. */
export interface RankingsScene {
  database: pg.Pool;
  close: CloseDaysDeps & { logger: Logger };
  /** A process that remembers nothing yet, with this clock. */
  serviceAt(now: () => Date): RankingsService;
  /** All in one workspace. */
  record(generations: GenerationRecord[]): Promise<void>;
  /** All that is kept of the closed days, but for when they were closed. */
  tables(): Promise<unknown[]>;
  /** Forgets generations, days and apps. */
  clear(): Promise<void>;
  end(): Promise<void>;
}

export async function openRankingsScene(models: readonly string[]): Promise<RankingsScene> {
  const testDatabase = await createTestDatabase();
  const { url } = testDatabase;
  const database = new pg.Pool({ connectionString: url, max: 2 });
  database.on('error', () => {});
  const { knex, close } = createDatabase({ url, poolMax: 2 });
  const ledger = createLedgerConnection({ url, shard: 0, silenceMs: 30_000 });
  await database.query(
    `insert into models (id, canonical_slug, name, created_at) select m, m, m, now() from unnest($1::text[]) m`,
    [models],
  );
  const place = { organizationId: newUuid(), workspaceId: newUuid() };
  await database.query(`insert into organizations (id, name) values ($1, 'O')`, [place.organizationId]);
  await database.query(`insert into workspaces (id, organization_id, name, slug) values ($2, $1, 'W', 'w')`, [
    place.organizationId,
    place.workspaceId,
  ]);
  return {
    database,
    close: { url, logger: createLogger({ level: 'fatal', name: 'test' }) },
    serviceAt: (now) => createRankingsService(createRankingsReadModel(knex), now),
    async record(generations) {
      await ledger.ensurePartitions(generations.map(({ id }) => new Date(timestampOfId(id))));
      await ledger.record(generations.map((generation) => ({ ...generation, ...place })));
    },
    async tables() {
      const tables = ['rankings_models', 'rankings_samples', 'rankings_apps'];
      const all = await Promise.all(
        tables.map((table) => database.query(`select t::text from ${table} t order by 1`)),
      );
      const { rows } = await database.query('select day::text from rankings_days order by day');
      return [...all.map((result) => result.rows), rows];
    },
    async clear() {
      await database.query(
        `truncate generations, generation_details, dropped_generations, daily_usage, rankings_days, rankings_models,
           rankings_samples, rankings_apps`,
      );
    },
    async end() {
      await ledger.close();
      await close();
      await database.end();
      await testDatabase.drop();
    },
  };
}

/** What used 30 tokens of the first model, and was settled then. */
export function usedGeneration(
  settledAt: string,
  change: Partial<GenerationRecord> = {},
  ageMs = 1_000,
): GenerationRecord {
  const settled = new Date(settledAt);
  const id = newGenerationId(settled.getTime() - ageMs);
  return makeGeneration({ id, settledAt: settled, model: RANKED[0]!, ...change });
}
