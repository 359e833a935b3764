import { createAnalyticsLookups } from '../../db/insights/analytics-lookups.ts';
import { createAnalyticsReadModel } from '../../db/insights/analytics-read-model.ts';
import { createClassifierStore } from '../../db/insights/classifier-store.ts';
import { createActivityService } from '../../services/insights/activity/activity-service.ts';
import { createAnalyticsService } from '../../services/insights/analytics/analytics-service.ts';
import { createTurns } from '../../services/turns/turns.ts';
import { createClassifierService } from '../../services/insights/classifiers/classifier-service.ts';
import type { Services } from '../services.ts';
import type { ServiceParts } from '../service-parts.ts';

/** The same time that callers wait for a connection of the pool. */
const TURN_WAIT_MS = 10_000;

/** What answers where the tokens and the money went. */
export function createAnalyticsServices({
  config,
  knex,
  heavyReads,
  share,
}: Pick<ServiceParts, 'config' | 'knex' | 'heavyReads' | 'share'>): Pick<
  Services,
  'analytics' | 'activity' | 'classifiers'
> {
  const lookups = createAnalyticsLookups(knex);
  const analytics = createAnalyticsReadModel(heavyReads);
  // One organization gets half of the connections at most.
  const turns = createTurns({ atOnce: Math.floor(share.heavyReads / 2), waitMs: TURN_WAIT_MS });
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
