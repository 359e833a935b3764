import { createAnalyticsLookups } from '../db/analytics-lookups.ts';
import { createAnalyticsReadModel } from '../db/analytics-read-model.ts';
import { createClassifierStore } from '../db/classifier-store.ts';
import { createActivityService } from '../services/activity/activity-service.ts';
import { createAnalyticsService } from '../services/analytics/analytics-service.ts';
import { createTurns } from '../services/turns/turns.ts';
import { createClassifierService } from '../services/classifiers/classifier-service.ts';
import type { Services } from './services.ts';
import type { ServiceParts } from './service-parts.ts';

/** Of one organization: half of the connections for heavy reads, and as long as the pool lets others wait. */
const TURNS = { atOnce: 2, waitMs: 10_000 };

/** What answers where the tokens and the money went. */
export function createAnalyticsServices({
  config,
  knex,
  heavyReads,
}: Pick<ServiceParts, 'config' | 'knex' | 'heavyReads'>): Pick<
  Services,
  'analytics' | 'activity' | 'classifiers'
> {
  const lookups = createAnalyticsLookups(knex);
  const analytics = createAnalyticsReadModel(heavyReads);
  const turns = createTurns(TURNS);
  return {
    analytics: createAnalyticsService({
      lookups,
      classifiers: createClassifierStore(knex),
      analytics,
      turns,
      retentionMs: config.ledger.retentionMs,
    }),
    activity: createActivityService({ knex, lookups, analytics, turns }),
    classifiers: createClassifierService({ knex }),
  };
}
