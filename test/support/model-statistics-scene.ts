import { createDatabase, type Handle } from './open-database.ts';
import { createLedgerStore } from '../../db/ledger/ledger-store.ts';
import {
  createModelStatisticsReadModel,
  type ModelStatisticsReadModel,
} from '../../db/catalog/model-statistics-read-model.ts';
import {
  createModelStatisticsStore,
  type ModelStatisticsStore,
} from '../../db/catalog/model-statistics-store.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newGenerationId } from '../../domain/ids.ts';
import {
  createModelStatisticsFiller,
  type ModelStatisticsFiller,
} from '../../services/catalog/statistics/model-statistics-filler.ts';
import {
  createModelStatistics,
  type ModelStatistics,
} from '../../services/catalog/statistics/model-statistics.ts';
import { insertOrganization } from './accounts.ts';
import { createTestDatabase } from './database.ts';
import { makeListedModel } from './listed-models.ts';
import { makeGeneration } from './make-generation.ts';

export const MINUTE_MS = 60_000;
/** In the middle of an hour and of a day. */
export const NOW_MS = Date.UTC(2026, 2, 10, 12, 31);

type Attempt = [endpoint: string, error?: string | undefined, isByok?: boolean];

/** A worker that fills the table, and an API process that reads it. */
export interface SceneStatistics extends Pick<ModelStatistics, 'popularityOf' | 'performanceOf'> {
  /** The worker reads the ledger, then the API process the table. Rejects when the worker could not read all. */
  refresh(): Promise<void>;
}

/** A ledger of one workspace, and statistics of what is recorded in it. */
export interface ModelStatisticsScene {
  ledger: ModelStatisticsReadModel;
  store: ModelStatisticsStore;
  /** Another one each time, so that no test sees what the others recorded. */
  newModel(): ReturnType<typeof makeListedModel>;
  /** What was made and settled so long before `NOW_MS`. */
  record(agoMs: number, change: Partial<GenerationRecord>, attempts?: Attempt[]): Promise<void>;
  /** A worker's part alone. */
  filler(now: () => number, change?: Partial<ModelStatisticsReadModel>): ModelStatisticsFiller;
  /** An API process's part alone. */
  reader(now: () => number): ModelStatistics;
  /** Statistics of a table that is empty at first, with a ledger that is as given, and else this one. */
  statisticsAt(now: () => number, change?: Partial<ModelStatisticsReadModel>): Promise<SceneStatistics>;
  close(): Promise<void>;
}

export async function openModelStatisticsScene(): Promise<ModelStatisticsScene> {
  const testDatabase = await createTestDatabase();
  const { knex, close } = createDatabase({ url: testDatabase.url, poolMax: 2 });
  const place = await insertOrganization(knex);
  const ledger = createModelStatisticsReadModel(knex);
  const store = createModelStatisticsStore(knex);
  const options = { store, intervalMs: 1_000, logger: { warn: () => {} } };
  const filler: ModelStatisticsScene['filler'] = (now, change = {}) =>
    createModelStatisticsFiller({ ...options, now, ledger: { ...ledger, ...change } });
  const reader: ModelStatisticsScene['reader'] = (now) => createModelStatistics({ ...options, now });
  let models = 0;
  return {
    ledger,
    store,
    newModel() {
      models += 1;
      return makeListedModel(
        { id: `a/m${models}`, canonicalSlug: `a/m${models}-2026` },
        { providerSlug: 'first' },
        { providerSlug: 'second' },
      );
    },
    record: (agoMs, change, attempts) => record(knex, agoMs, { ...place, ...change }, attempts),
    filler,
    reader,
    async statisticsAt(now, change) {
      await knex('model_statistics').delete();
      return refreshedBy(filler(now, change), reader(now));
    },
    async close() {
      await close();
      await testDatabase.drop();
    },
  };
}

async function record(
  knex: Handle,
  agoMs: number,
  change: Partial<GenerationRecord>,
  attempts?: Attempt[],
): Promise<void> {
  const createdAt = new Date(NOW_MS - agoMs);
  const id = newGenerationId(createdAt.getTime());
  const generation = makeGeneration({ id, settledAt: createdAt, ...change });
  if (attempts !== undefined) {
    generation.details = { ...generation.details, providerResponses: attempts.map(toResponse) };
  }
  const store = createLedgerStore(knex);
  await store.ensurePartition(createdAt);
  await store.record(generation, 0);
}

function refreshedBy(worker: ModelStatisticsFiller, statistics: ModelStatistics): SceneStatistics {
  const { signal } = new AbortController();
  return {
    ...statistics,
    async refresh() {
      const filled = [await settled(worker.fillRecent(signal)), await settled(worker.fillPast(signal))];
      await statistics.refresh();
      const failed = filled.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };
}

async function settled(work: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}

function toResponse([endpoint_id, error, isByok = false]: Attempt) {
  return {
    provider: 'p',
    provider_name: 'P',
    endpoint_id,
    status: 200,
    latency: 1,
    is_byok: isByok,
    ...(error === undefined ? {} : { error }),
  };
}
