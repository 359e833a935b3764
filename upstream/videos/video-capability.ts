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
import { createStartRendering } from './video-rendering.ts';
import { createVideoStore } from './video-store.ts';
import { createVideoSubmissions } from './video-submissions.ts';

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
 * - Some models report what they bill, in the ways of `video-charges.ts`.
 * - `GET /links/{token}` serves a finished file without a key; the `redirect` fault points there.
 *
 * `faults` are for the next matching requests. A submission is refused while `maxWaitingRenders` wait.
 */
export function createVideoCapability(faults: FaultQueue, maxWaitingRenders: number): Capability {
  const store = createVideoStore();
  const renderer = createClipRenderer({ maxWaiting: maxWaitingRenders });
  const startRendering = createStartRendering(renderer);
  const submissions = createVideoSubmissions({ store, renderer, startRendering, faults });
  return { routes: createRoutes({ store, submissions }), close: () => renderer.close() };
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
