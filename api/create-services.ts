import { createRateLimitStore } from '../db/rate-limit-store.ts';
import { webhookScheduleOf } from '../domain/runs.ts';
import { createModelService } from '../services/catalog/model-service.ts';
import { createReadinessCheck } from '../services/readiness.ts';
import { createPresetService } from '../services/presets/preset-service.ts';
import { createDatasetRate } from '../services/rate-limits/dataset-rate.ts';
import { createGenerationRate } from '../services/rate-limits/generation-rate.ts';
import { createRateLimiter } from '../services/rate-limits/rate-limiter.ts';
import { createRequestsInFlight } from '../services/rate-limits/requests-in-flight.ts';
import { createWebhookService } from '../services/webhooks/webhook-service.ts';
import { createAccountServices } from './accounts/create-account-services.ts';
import { createBroadcastServices } from './broadcast/create-broadcast-services.ts';
import { createDirectoryServices } from './directory/create-directory-services.ts';
import { createEndpointServices } from './endpoints/create-endpoint-services.ts';
import { createInsightServices } from './insights/create-insight-services.ts';
import { createEgressServices, createInternServices } from './interns/create-intern-services.ts';
import { createLiveServices } from './live/create-live-services.ts';
import type { ServiceParts } from './service-parts.ts';
import { createVideoServices } from './videos/create-video-services.ts';

/** All services that routes may call. They reject with an `AppError` when the caller is at fault. */
export type Services = ReturnType<typeof createServices>;

/** Builds all services of the routes from the parts of the process. */
export function createServices(parts: ServiceParts) {
  const { config, logger, knex, connection, runs, memory, stopping } = parts;
  const schedule = webhookScheduleOf(config.webhooks.scheduleSeconds);
  const limiter = createRateLimiter({
    store: createRateLimitStore(knex),
    detector: memory.detector,
    logger,
  });
  const generationRate = createGenerationRate({
    limiter,
    requests: config.limits.rateLimitRequests,
    intervalMs: config.limits.rateLimitIntervalMs,
  });
  return {
    keys: { verify: memory.keys.verify, isKnown: memory.keys.isKnown },
    generationRate: { take: generationRate.take },
    datasetRate: createDatasetRate(limiter),
    requestsInFlight: createRequestsInFlight({ ...parts.share.inFlight, metrics: parts.metrics }),
    health: {
      checkReadiness: createReadinessCheck({ knex, detector: memory.detector, connection, stopping }),
    },
    models: createModelService({ catalog: memory.catalog, statistics: parts.modelStatistics }),
    presets: createPresetService({ knex, cache: memory.presetCache }),
    webhooks: createWebhookService({ knex, runs, schedule, logger }),
    ...createAccountServices(parts, generationRate),
    ...createBroadcastServices(parts),
    ...createDirectoryServices(parts),
    ...createEndpointServices(parts),
    ...createInsightServices(parts),
    ...createInternServices(parts, limiter),
    ...createEgressServices(parts),
    ...createLiveServices(parts),
    ...createVideoServices(parts),
  };
}
