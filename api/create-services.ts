import type { Connection } from '@temporalio/client';
import { createApiKeyStore } from '../db/api-key-store.ts';
import type { Handle } from '../db/connection.ts';
import { createUsageReadModel } from '../db/usage-read-model.ts';
import type { Config } from '../platform/config.ts';
import { createObjectStore } from '../platform/create-object-store.ts';
import { createEncryption } from '../platform/encryption.ts';
import type { Logger } from '../platform/logger.ts';
import type { OutboundGuard } from '../platform/outbound-guard.ts';
import { createCallbackService } from '../services/callbacks/callback-service.ts';
import { createCallbackTokens } from '../services/callbacks/callback-token.ts';
import { checkReadiness } from '../services/health/readiness.ts';
import { describeKey } from '../services/identity/describe-key.ts';
import type { KeyVerifier } from '../services/identity/key-verifier.ts';
import type { JobStarter } from '../services/jobs/starter.ts';
import { createUrlSigner } from '../services/jobs/url-signer.ts';
import { createVideoService } from '../services/jobs/video-service.ts';
import type { Catalog } from '../services/routing/catalog.ts';
import type { LiveProviders } from '../services/routing/live-providers.ts';
import type { RunStarter } from '../services/runs/run-starter.ts';
import { createWebhookService } from '../services/webhooks/webhook-service.ts';
import { createWorkspaceService } from '../services/workspaces/workspace-service.ts';
import type { Services } from './services.ts';

/** Everything the services are made of, once per process. */
export interface ServiceParts {
  config: Config;
  logger: Logger;
  knex: Handle;
  guard: OutboundGuard;
  connection: Connection;
  runs: RunStarter;
  keys: KeyVerifier;
  catalog: Catalog;
  providers: LiveProviders;
  starter: JobStarter;
}

/** What the routes call, built from the process's parts. */
export async function createServices(parts: ServiceParts): Promise<Services> {
  const { config, logger, knex, guard, connection, runs, keys, catalog, providers, starter } = parts;
  const encryption = createEncryption(config.encryption);
  const keyInfo = { keys: createApiKeyStore(knex), usage: createUsageReadModel(knex) };
  const { scheduleSeconds: seconds, jitter } = config.webhooks;
  const checkUrl = (url: string): void => guard.checkUrl(url);
  return {
    keys,
    keyInfo: { describeKey: (principal) => describeKey(keyInfo, principal, new Date()) },
    videos: createVideoService({
      knex,
      catalog,
      runs,
      starter,
      logger,
      objectStore: await createObjectStore(config.objectStore),
      checkUrl,
      pendingDeadlineMs: config.jobs.pendingDeadlineMs,
      creditsUrl: config.http.creditsUrl,
    }),
    urlSigner: createUrlSigner(encryption.deriveKey('signed URLs')),
    webhooks: createWebhookService({ knex, runs, encryption, schedule: { seconds, jitter }, logger }),
    workspaces: createWorkspaceService({ knex, checkUrl }),
    callbacks: createCallbackService({
      knex,
      runs,
      logger,
      videoAdapter: (slug) => providers.videoAdapter(slug),
      tokens: createCallbackTokens(encryption.deriveKey('provider callbacks')),
    }),
    health: { checkReadiness: () => checkReadiness(knex, connection) },
  };
}
