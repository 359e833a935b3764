import { createApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createCatalogStore } from '../db/catalog/catalog-store.ts';
import { createCreditStore } from '../db/ledger/credit-store.ts';
import { createGenerationReadModel } from '../db/insights/generation-read-model.ts';
import { createLoggedBodyStore } from '../db/ledger/logged-body-store.ts';
import { createPayerCounters } from '../db/ledger/payer-counters.ts';
import { createRankingsReadModel } from '../db/insights/rankings-read-model.ts';
import { createRateLimitStore } from '../db/rate-limit-store.ts';
import { createUsageReadModel } from '../db/insights/usage-read-model.ts';
import { createWorkspaceBudgetStore } from '../db/accounts/workspace-budget-store.ts';
import { createCallbackService } from '../services/videos/callbacks/callback-service.ts';
import { createCallbackTokens } from '../services/videos/callbacks/callback-token.ts';
import { createOwnModels } from '../services/endpoints/own-models.ts';
import { createValidationService } from '../services/endpoints/validation/validation-service.ts';
import { createModelService } from '../services/catalog/model-service.ts';
import { createGenerationService } from '../services/insights/generation/generation-service.ts';
import { createReadinessCheck } from '../services/health/readiness.ts';
import { describeKey } from '../services/accounts/identity/describe-key.ts';
import { createUrlSigner } from '../services/videos/url-signer.ts';
import { createVideoService } from '../services/videos/video-service.ts';
import { createPresetService } from '../services/presets/preset-service.ts';
import { createPrivateEndpointService } from '../services/endpoints/private-endpoint-service.ts';
import { requireEntitlement } from '../services/endpoints/require-entitlement.ts';
import { createRankingsService } from '../services/insights/rankings/rankings-service.ts';
import { createDatasetRate } from '../services/rate-limits/dataset-rate.ts';
import { createGenerationRate } from '../services/rate-limits/generation-rate.ts';
import { createRateLimiter } from '../services/rate-limits/rate-limiter.ts';
import { createTurns } from '../services/turns/turns.ts';
import { createWorkspaceWebhooks } from '../services/accounts/workspaces/workspace-webhooks.ts';
import { createWebhookService } from '../services/webhooks/webhook-service.ts';
import { createAccountServices } from './create-account-services.ts';
import { createAnalyticsServices } from './insights/create-analytics-services.ts';
import { createDirectoryServices } from './directory/create-directory-services.ts';
import { createInternServices } from './interns/create-intern-services.ts';
import { createEgressServices } from './interns/create-egress-services.ts';
import { createLiveServices } from './live/create-live-services.ts';
import type { Services } from './services.ts';
import type { ServiceParts } from './service-parts.ts';

/** Video requests with megabytes of media that this process writes at once; the others wait without a connection. */
const LARGE_INSERTS = 2;
const LARGE_INSERT_WAIT_MS = 60_000;

/** What the routes call, built from the process's parts. */
export function createServices(parts: ServiceParts): Services {
  const { config, logger, knex, guard, connection, runs, memory, providers, starter } = parts;
  const { keys, catalog } = memory;
  const { objectStore, encryption } = parts;
  const store = createRateLimitStore(knex);
  const limiter = createRateLimiter({ store, presence: memory.presence, logger });
  const generationRate = createGenerationRate({
    limiter,
    requests: config.limits.rateLimitRequests,
    intervalMs: config.limits.rateLimitIntervalMs,
  });
  const keyInfo = {
    keys: createApiKeyStore(knex),
    usage: createUsageReadModel(knex),
    credits: createCreditStore(knex),
    budgets: createWorkspaceBudgetStore(knex),
    counters: createPayerCounters(knex),
    spending: parts.spending,
    generationRate,
  };
  const { scheduleSeconds: seconds, jitter, timeoutMs } = config.webhooks;
  const checkUrl = (url: string): void => guard.checkUrl(url);
  const validations = createValidationService({ knex, runs });
  return {
    keys,
    keyInfo: { describeKey: (principal) => describeKey(keyInfo, principal, new Date()) },
    generationRate,
    datasetRate: createDatasetRate(limiter),
    rankings: createRankingsService(createRankingsReadModel(parts.heavyReads)),
    credits: createCreditStore(knex),
    ...createAccountServices(parts),
    entitlements: {
      require: (organizationId, entitlement) => requireEntitlement(knex, organizationId, entitlement),
    },
    validations,
    privateEndpoints: createPrivateEndpointService({
      knex,
      catalog: createCatalogStore(knex),
      checkUrl,
      forgetBrought: memory.brought.forget,
      validations,
      logger,
    }),
    ...createInternServices(parts, limiter),
    ...createEgressServices(parts),
    ...createDirectoryServices(parts),
    ...createAnalyticsServices(parts),
    ownModels: createOwnModels({ catalog, brought: memory.brought }),
    models: createModelService({ catalog, statistics: parts.modelStatistics }),
    ...createLiveServices(parts),
    generations: createGenerationService({
      generations: createGenerationReadModel(knex),
      store: createLoggedBodyStore(knex),
      objectStore,
      encryption,
      providerName: catalog.providerName,
    }),
    videos: createVideoService({
      knex,
      catalog,
      brought: memory.brought,
      runs,
      starter,
      jobWatch: memory.jobWatch,
      logger,
      objectStore,
      checkUrl,
      spending: parts.spending,
      pendingDeadlineMs: config.jobs.pendingDeadlineMs,
      creditsUrl: config.http.creditsUrl,
      largeInserts: createTurns({ atOnce: LARGE_INSERTS, waitMs: LARGE_INSERT_WAIT_MS }),
    }),
    urlSigner: createUrlSigner(encryption.deriveKey('signed URLs')),
    webhooks: createWebhookService({ knex, runs, schedule: { seconds, jitter }, logger }),
    workspaceWebhooks: createWorkspaceWebhooks({ knex, encryption, guard, checkUrl, timeoutMs }),
    presets: createPresetService({ knex, cache: memory.presetCache }),
    callbacks: createCallbackService({
      knex,
      runs,
      logger,
      videoAdapter: (slug) => providers.videoAdapter(slug),
      tokens: createCallbackTokens(encryption.deriveKey('provider callbacks')),
    }),
    health: { checkReadiness: createReadinessCheck({ knex, connection }) },
  };
}
