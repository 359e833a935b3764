/** Builds the services of the video operations from the parts of the API process. */
import { createSunsetNotices } from '../../services/catalog/sunset-notices.ts';
import { createCallbackService } from '../../services/videos/callbacks/callback-service.ts';
import { createCallbackTokens } from '../../services/videos/callbacks/callback-url.ts';
import { createUrlSigner } from '../../services/videos/url-signer.ts';
import { createVideoService } from '../../services/videos/video-service.ts';
import { createConcurrencyLimit } from '../../services/concurrency-limit.ts';
import type { ServiceParts } from '../service-parts.ts';

/**
 * The number of video requests with megabytes of media that this process writes at once. Others wait without a
 * connection.
 */
const LARGE_INSERTS = 2;
const LARGE_INSERT_WAIT_MS = 60_000;

/** Creates the services for video jobs, the links to their files, and the callbacks of providers. */
export function createVideoServices(parts: ServiceParts) {
  const { config, logger, knex, guard, runs, memory, providers, starter, objectStore, encryption } = parts;
  return {
    videos: createVideoService({
      knex,
      catalog: memory.catalog,
      ownViews: memory.ownViews,
      runs,
      starter,
      jobWatch: memory.jobWatch,
      sunsets: createSunsetNotices(logger),
      logger,
      objectStore,
      checkUrl: (url) => guard.checkUrl(url),
      checkMediaUrl: (url) => guard.media.checkUrl(url),
      spending: parts.spending,
      pendingDeadlineMs: config.jobs.pendingDeadlineMs,
      creditsUrl: config.http.creditsUrl,
      maxOpenJobs: config.jobs.maxOpen,
      largeInserts: createConcurrencyLimit({ maxConcurrent: LARGE_INSERTS, waitMs: LARGE_INSERT_WAIT_MS }),
    }),
    urlSigner: createUrlSigner(encryption.deriveKey('signed URLs')),
    callbacks: createCallbackService({
      knex,
      runs,
      logger,
      videoAdapter: (slug) => providers.videoAdapter(slug),
      tokens: createCallbackTokens(encryption.deriveKey('provider callbacks')),
    }),
  };
}
