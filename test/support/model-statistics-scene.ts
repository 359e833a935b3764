import { createAccountStore } from '../../db/account-store.ts';
import { createDatabase } from '../../db/connection.ts';
import { createLedgerStore } from '../../db/ledger-store.ts';
import {
  createModelStatisticsReadModel,
  type ModelStatisticsReadModel,
} from '../../db/model-statistics-read-model.ts';
import type { GenerationRecord } from '../../domain/generation.ts';
import { newGenerationId, newUuid } from '../../domain/ids.ts';
import { createModelStatistics, type ModelStatistics } from '../../services/catalog/model-statistics.ts';
import { createTestDatabase } from './database.ts';
import { makeListedModel } from './listed-models.ts';
import { makeGeneration } from './make-generation.ts';

export const MINUTE_MS = 60_000;
/** In the middle of an hour and of a day. */
export const NOW_MS = Date.UTC(2026, 2, 10, 12, 31);

type Attempt = [endpoint: string, error?: string];

/** A ledger of one workspace, and statistics of what is recorded in it. */
export interface ModelStatisticsScene {
  ledger: ModelStatisticsReadModel;
  /** Another one each time, so that no test sees what the others recorded. */
  newModel(): ReturnType<typeof makeListedModel>;
  /** What was made and settled so long before `NOW_MS`. */
  record(agoMs: number, change: Partial<GenerationRecord>, attempts?: Attempt[]): Promise<void>;
  /** With a ledger that is as given, and else this one. */
  statisticsAt(now: () => number, change?: Partial<ModelStatisticsReadModel>): ModelStatistics;
  close(): Promise<void>;
}

export async function openModelStatisticsScene(): Promise<ModelStatisticsScene> {
  const testDatabase = await createTestDatabase();
  const { knex, close } = createDatabase({ url: testDatabase.url, poolMax: 2 });
  const place = { organizationId: newUuid(), workspaceId: newUuid() };
  const accounts = createAccountStore(knex);
  const organization = { id: place.organizationId, name: 'A', creditEnforcement: false, entitlements: [] };
  await accounts.insertOrganization(organization);
  await accounts.insertWorkspace({
    id: place.workspaceId,
    organizationId: place.organizationId,
    name: 'A',
    slug: 'a',
    isDefault: true,
    defaultCallbackUrl: null,
    createdBy: null,
  });
  const ledger = createModelStatisticsReadModel(knex);
  let models = 0;
  return {
    ledger,
    newModel() {
      models += 1;
      return makeListedModel(
        { id: `a/m${models}`, canonicalSlug: `a/m${models}-2026` },
        { providerSlug: 'first' },
        { providerSlug: 'second' },
      );
    },
    async record(agoMs, change, attempts) {
      const createdAt = new Date(NOW_MS - agoMs);
      const id = newGenerationId(createdAt.getTime());
      const generation = makeGeneration({ id, settledAt: createdAt, ...place, ...change });
      if (attempts !== undefined) {
        generation.details = { ...generation.details, providerResponses: attempts.map(toResponse) };
      }
      const store = createLedgerStore(knex);
      await store.ensurePartition(createdAt);
      await store.record(generation, 0);
    },
    statisticsAt: (now, change = {}) =>
      createModelStatistics({
        ledger: { ...ledger, ...change },
        intervalMs: 1_000,
        logger: { warn: () => {} },
        now,
      }),
    async close() {
      await close();
      await testDatabase.drop();
    },
  };
}

function toResponse([endpoint_id, error]: Attempt) {
  return {
    provider_name: 'P',
    endpoint_id,
    status: 200,
    latency: 1,
    is_byok: false,
    ...(error === undefined ? {} : { error }),
  };
}
