/** Handles `POST /videos`: accepts a video job and returns its id at once. */
import { operations } from '../../contract/operations.ts';
import type { AcceptedVideo } from '../../contract/videos/video.ts';
import { presentAcceptedVideo } from './present-video.ts';
import { defineRoute } from '../http/route.ts';
import { toVideoRequest } from './to-video-request.ts';

export const createVideo = defineRoute(operations.createVideo, async (call, { services }) => {
  const { principal, body, rawBody, headers, client, idempotency, gone } = call;
  const result = await services.videos.create(principal, toVideoRequest(body, headers['x-session-id']), {
    ...(idempotency === undefined ? {} : { idempotency }),
    client,
    bodyBytes: rawBody.length,
    gone,
    respond: (job) => ({ status: 202, body: presentAcceptedVideo(job) }),
  });
  return {
    status: 202,
    ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
    // `respond` built this body now, or for the first request with the same idempotency key.
    body: result.body as AcceptedVideo,
  };
});
