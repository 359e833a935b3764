/**
 * Builds the services for analytics, activity, problems, classifiers, rankings and generations from the parts of the
 * API process.
 */
import { createAnalyticsLookups } from '../../db/insights/analytics-lookups.ts';
import { createAnalyticsReadModel } from '../../db/insights/analytics-read-model.ts';
import { createClassifierStore } from '../../db/insights/classifier-store.ts';
import { createGenerationListReadModel } from '../../db/insights/generation-list-read-model.ts';
import { createGenerationReadModel } from '../../db/insights/generation-read-model.ts';
import { createRankingsReadModel } from '../../db/insights/rankings-read-model.ts';
import { createLoggedBodyStore } from '../../db/ledger/logged-body-store.ts';
import { createActivityService } from '../../services/insights/activity-service.ts';
import { createAnalyticsService } from '../../services/insights/analytics/analytics-service.ts';
import { createClassifierService } from '../../services/insights/classifier-service.ts';
import { createGenerationService } from '../../services/insights/generations/generation-service.ts';
import { createGenerationList } from '../../services/insights/generations/list-generations.ts';
import { createProblemService } from '../../services/insights/problem-service.ts';
import { createRankingsService } from '../../services/insights/rankings/rankings-service.ts';
import { createConcurrencyLimit } from '../../services/concurrency-limit.ts';
import type { ServiceParts } from '../service-parts.ts';

/** The longest wait for a turn, equal to the wait for a connection of the pool. */
const TURN_WAIT_MS = 10_000;

/** Creates the services that show generations and what an organization used. */
export function createInsightServices(parts: ServiceParts) {
  const { config, knex, heavyReads, share, memory, objectStore, encryption } = parts;
  const lookups = createAnalyticsLookups(knex);
  const analytics = createAnalyticsReadModel(heavyReads);
  // One organization uses at most half of the connections.
  const concurrencyLimit = createConcurrencyLimit({
    maxConcurrent: Math.floor(share.heavyReads / 2),
    waitMs: TURN_WAIT_MS,
  });
  return {
    analytics: createAnalyticsService({
      lookups,
      classifiers: createClassifierStore(knex),
      analytics,
      concurrencyLimit,
      retentionMs: config.ledger.retentionMs,
    }),
    problems: createProblemService({ handle: heavyReads, concurrencyLimit }),
    activity: createActivityService({ knex, lookups, analytics, concurrencyLimit }),
    classifiers: createClassifierService({ knex }),
    rankings: createRankingsService(createRankingsReadModel(heavyReads)),
    generationList: createGenerationList({
      lookups,
      list: createGenerationListReadModel(heavyReads),
      concurrencyLimit,
      canonicalSlugOf: (name) => memory.catalog.findKnownModel(name)?.canonicalSlug ?? name,
      providerName: memory.catalog.providerName,
      retentionMs: config.ledger.retentionMs,
    }),
    generations: createGenerationService({
      generations: createGenerationReadModel(knex),
      store: createLoggedBodyStore(knex),
      objectStore,
      encryption,
      providerName: memory.catalog.providerName,
    }),
  };
}
