/** Builds the services for text, embeddings, rerank, images and speech from the parts of the API process. */
import { createChatService } from '../../services/live/chat/chat-service.ts';
import { createCompletionsService } from '../../services/live/completions/completions-service.ts';
import { createMessagesService } from '../../services/live/messages/messages-service.ts';
import { createEmbeddingsService } from '../../services/live/embeddings-service.ts';
import { createImagesService } from '../../services/live/images/images-service.ts';
import { createRerankService } from '../../services/live/rerank/rerank-service.ts';
import { createResponsesService } from '../../services/live/responses/responses-service.ts';
import { createSpeechService } from '../../services/live/speech/speech-service.ts';
import { createFlaggedBills } from '../../services/live/flagged-bills.ts';
import type { LiveDeps } from '../../services/live/live-deps.ts';
import { createSunsetNotices } from '../../services/catalog/sunset-notices.ts';
import { createAttemptMetrics } from '../../services/routing/attempt-metrics.ts';
import { meterCircuits } from '../../services/routing/circuit-metrics.ts';
import { createOpenCircuitStore } from '../../db/routing/open-circuit-store.ts';
import { createGoneEndpointStore } from '../../db/catalog/gone-endpoint-store.ts';
import { createGoneModels } from '../../services/routing/gone-models.ts';
import { recordOpenCircuits } from '../../services/routing/open-circuits.ts';
import { createEndpointHealth } from '../../services/routing/endpoint-health.ts';
import type { ServiceParts } from '../service-parts.ts';
import { presentMessagesError } from '../http/errors/present-messages-error.ts';
import { presentStreamError } from '../http/errors/present-dialect-errors.ts';

/**
 * The interval of comments in a silent stream. Proxies commonly close a connection that is silent for 30 or 60 seconds.
 */
const COMMENT_EVERY_MS = 15_000;

/**
 * Creates the services that call a model while the caller waits. They share routing, reservations, metering and
 * billing.
 */
export function createLiveServices(parts: ServiceParts) {
  const { config, memory, providers, guard, ledger, spending, bodies, logger, metrics } = parts;
  const health = createEndpointHealth({
    onOpen: recordOpenCircuits(createOpenCircuitStore(parts.knex), logger),
  });
  meterCircuits(metrics, health, memory.catalog);
  const deps: LiveDeps = {
    catalog: memory.catalog,
    providers,
    ownViews: memory.ownViews,
    outbound: guard.media,
    health,
    sunsets: createSunsetNotices(logger),
    attempts: createAttemptMetrics(metrics, memory.catalog),
    goneModels: createGoneModels({ store: createGoneEndpointStore(parts.knex), logger }),
    ledger,
    spending,
    settingsOf: memory.workspaceSettings.of,
    presets: memory.presetCache,
    showError: presentStreamError,
    bodies,
    earlyHeaders: { afterMs: config.http.streamHeadersAfterMs, commentEveryMs: COMMENT_EVERY_MS },
    noteFlaggedBill: createFlaggedBills({ knex: parts.knex, logger, metrics }),
    logger,
  };
  return {
    chat: createChatService(deps),
    completions: createCompletionsService(deps),
    messages: createMessagesService({ ...deps, providers, messagesError: presentMessagesError }),
    responses: createResponsesService(deps),
    embeddings: createEmbeddingsService(deps),
    rerank: createRerankService(deps),
    images: createImagesService({ ...deps, catalog: memory.catalog }),
    speech: createSpeechService(deps),
  };
}
