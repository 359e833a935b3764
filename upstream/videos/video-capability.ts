/** Serves video jobs of the local upstream, on OpenAI's wire. */
import type { FaultQueue } from '../faults.ts';
import { createClipRenderer } from '../media/clip-renderer.ts';
import type { Reply } from '../reply.ts';
import type { Capability, Exchange, Route } from '../route.ts';
import {
  createVideo,
  deleteVideo,
  listVideos,
  remixVideo,
  retrieveVideo,
  serveContent,
  serveLink,
  type Videos,
} from './video-handlers.ts';
import { VIDEO_MODEL_IDS } from './video-models.ts';
import { createStartRendering } from './video-rendering.ts';
import { createVideoStore } from './video-store.ts';
import { createVideoSubmissions } from './video-submissions.ts';

export interface VideoCapabilityOptions {
  /** Faults for the next matching requests. */
  faults: FaultQueue;
  maxWaitingRenders: number;
  retentionMs: number;
}

/**
 * Serves OpenAI's Videos API: create, retrieve, list, delete, content and remix. Written from the published OpenAPI
 * description (github.com/openai/openai-openapi, `openapi.yaml`, and openai-node's `resources/videos.ts`, both as of
 * 2026-08-21). The vendor's own service ended on 2026-09-24; other servers still use this wire.
 *
 * Extras of this server:
 * - `Idempotency-Key` on create and remix: a repeated key returns the job of the first request, with any body, and
 *   makes no second job.
 * - `GET /v1/videos?idempotency_key=…` lists the one job with that key, or none.
 * - `seed`, `last_frame_reference` and `faults` on create; `seconds` and `faults` on remix.
 * - DELETE also stops a running job.
 * - `GET /links/{token}` serves a finished file without a key; the `redirect` fault points there.
 */
export function createVideoCapability(options: VideoCapabilityOptions): Capability {
  const { retentionMs, faults, maxWaitingRenders } = options;
  const now = () => Date.now();
  const store = createVideoStore({ retentionMs, now });
  const renderer = createClipRenderer({ maxWaiting: maxWaitingRenders });
  const startRendering = createStartRendering(renderer, now);
  const submissions = createVideoSubmissions({ store, renderer, startRendering, faults, now });
  return {
    models: VIDEO_MODEL_IDS,
    routes: createRoutes({ store, submissions, retentionMs, now }),
    close: () => renderer.close(),
  };
}

function createRoutes(videos: Videos): Route[] {
  type Handler = (videos: Videos, exchange: Exchange) => Promise<Reply> | Reply;
  const bind = (handler: Handler) => (exchange: Exchange) => handler(videos, exchange);
  const faults = videos.submissions.faultsOf;
  const jobFaults = async ({ params }: Exchange) => videos.store.get(params['id'] ?? '')?.faults;
  const item = '/v1/videos/:id';
  return [
    { method: 'POST', path: '/v1/videos', target: 'create', faults, handle: bind(createVideo) },
    { method: 'POST', path: `${item}/remix`, target: 'remix', faults, handle: bind(remixVideo) },
    { method: 'GET', path: '/v1/videos', target: 'list', handle: bind(listVideos) },
    { method: 'GET', path: item, target: 'retrieve', faults: jobFaults, handle: bind(retrieveVideo) },
    {
      method: 'GET',
      path: `${item}/content`,
      target: 'content',
      faults: jobFaults,
      handle: bind(serveContent),
    },
    { method: 'DELETE', path: item, target: 'delete', faults: jobFaults, handle: bind(deleteVideo) },
    { method: 'GET', path: '/links/:token', keyless: true, handle: bind(serveLink) },
  ];
}
