import { createChatService } from '../services/generations/chat-service.ts';
import { createEmbeddingsService } from '../services/generations/embeddings-service.ts';
import type { LiveDeps } from '../services/generations/live-deps.ts';
import { createEndpointHealth } from '../services/routing/endpoint-health.ts';
import type { ServiceParts } from './service-parts.ts';
import { presentStreamError } from './presenters/stream-error.ts';
import type { Services } from './services.ts';

/** The operations on text, which share how they are routed, reserved for, metered and billed. */
export function createLiveServices(parts: ServiceParts): Pick<Services, 'chat' | 'embeddings'> {
  const { memory, providers, ledger, spending, bodies, logger } = parts;
  const deps: LiveDeps = {
    catalog: memory.catalog,
    providers,
    health: createEndpointHealth(),
    ledger,
    spending,
    settingsOf: memory.workspaceSettings.of,
    presets: memory.presetCache,
    showError: presentStreamError,
    bodies,
    logger,
  };
  return { chat: createChatService(deps), embeddings: createEmbeddingsService(deps) };
}
