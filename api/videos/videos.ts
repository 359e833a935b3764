/** Answers the operations on video jobs, their files and the models that make them. */
import { toMoment } from '../../contract/moment.ts';
import type { VideoRequestBody } from '../../contract/videos/video-request.ts';
import type { videoOperations } from '../../contract/videos/videos.ts';
import { AppError } from '../../domain/errors.ts';
import { normalizeMediaUrl } from '../../domain/live/media-url.ts';
import { parseSize } from '../../domain/pixel-size.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import type { UrlSigner } from '../../services/videos/url-signer.ts';
import type { VideoService } from '../../services/videos/video-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerContent } from './answer-content.ts';
import {
  outputPath,
  pollAfterSeconds,
  presentAcceptedVideo,
  presentVideo,
  presentVideoModel,
} from './present-video.ts';

export const videoRoutes: RoutesOf<typeof videoOperations, { videos: VideoService; urlSigner: UrlSigner }> = {
  /** Handles `POST /videos`: accepts a video job and returns its id at once. */
  createVideo: async (call, { services }) => {
    const { body, rawBody, headers, gone } = call;
    const request = toVideoRequest(body, headers['x-session-id']);
    const answer = await answerIdempotently(
      call,
      (job: VideoJob) => ({ status: 202, body: presentAcceptedVideo(job) }),
      (once) => services.videos.create(call, request, { ...once, bodyBytes: rawBody.length, gone }),
    );
    const sunset = services.videos.sunsetHeader(request.model);
    return sunset === undefined ? answer : { ...answer, headers: { ...answer.headers, sunset } };
  },

  /** Handles `GET /videos`: lists the video jobs that the calling key may read. */
  listVideos: async ({ principal, query }, api) => {
    const { limit, offset, status, model, created_after: after, created_before: before } = query;
    const page = {
      limit,
      offset,
      status,
      model,
      createdAfter: after === undefined ? undefined : toMoment(after),
      createdBefore: before === undefined ? undefined : toMoment(before),
    };
    const { jobs, totalCount } = await api.services.videos.list(principal, page);
    const nowMs = Date.now();
    return {
      status: 200,
      body: { data: jobs.map((job) => presentVideo(job, api, nowMs)), total_count: totalCount },
    };
  },

  /** Handles `GET /videos/models`: lists the models that generate videos. */
  listVideoModels: async (_call, { services }) => ({
    status: 200,
    body: { data: services.videos.models().map(presentVideoModel) },
  }),

  /** Handles `GET /videos/{jobId}`: returns a video job, on request only after its status changes. */
  getVideo: async (call, api) => {
    const { principal, params, query } = call;
    const { videos } = api.services;
    const job =
      query.wait === 0
        ? await videos.get(principal, params.jobId)
        : await videos.waitForChange(principal, params.jobId, {
            waitMs: query.wait * 1_000,
            gone: call.gone(),
          });
    const nowMs = Date.now();
    const seconds = pollAfterSeconds(job, api.settings.pollBounds, nowMs);
    return {
      status: 200,
      headers: seconds === undefined ? undefined : { 'retry-after': String(seconds) },
      body: presentVideo(job, api, nowMs),
    };
  },

  /** Handles `POST /videos/{jobId}/cancel`: requests the end of a video job and returns the job. */
  cancelVideo: async ({ principal, params }, api) => ({
    status: 200,
    body: presentVideo(await api.services.videos.cancel(principal, params.jobId), api, Date.now()),
  }),

  /** Handles `GET /videos/{jobId}/content`: returns the bytes of one output of a video job. */
  getVideoContent: async (call, { services }) => {
    const { principal, params, query } = call;
    return answerContent(call, `${params.jobId}-${query.index}`, (range) =>
      services.videos.openContent(principal, params.jobId, query.index, range),
    );
  },

  /**
   * Handles downloads of video files by signed URL. Checks the signature first, so that callers without a valid one
   * learn nothing.
   */
  getVideoOutput: async (call, { services }) => {
    const { jobId, index } = call.params;
    const verdict = services.urlSigner.verify(outputPath(jobId, index), call.query);
    if (verdict === 'bad') throw new AppError('not_found');
    if (verdict === 'expired') throw new AppError('gone');
    return answerContent(call, `${jobId}-${index}`, (range) =>
      services.videos.openContent({ signed: true }, jobId, index, range),
    );
  },
};

/**
 * Converts the body to a request. Null counts as absent, and so does empty text. The body's session takes precedence.
 */
function toVideoRequest(body: VideoRequestBody, sessionHeader: string | undefined): VideoRequest {
  return {
    model: body.model,
    prompt: body.prompt || undefined,
    durationSeconds: body.duration ?? undefined,
    aspectRatio: body.aspect_ratio ?? undefined,
    resolution: body.resolution ?? undefined,
    size: body.size ? parseSize(body.size) : undefined,
    seed: body.seed ?? undefined,
    generateAudio: body.generate_audio ?? undefined,
    frameImages: body.frame_images?.map(({ image_url, frame_type }) => ({
      url: normalizeMediaUrl(image_url.url),
      frameType: frame_type,
    })),
    inputReferences: body.input_references?.map(toReference),
    previousJobId: body.previous_job_id ?? undefined,
    upscaleFactor: body.upscale_factor ?? undefined,
    creativity: body.creativity ?? undefined,
    callbackUrl: body.callback_url ?? undefined,
    sessionId: body.session_id || sessionHeader || undefined,
    user: body.user || undefined,
    trace: body.trace ?? undefined,
    passthrough: body.provider?.options ?? undefined,
  };
}

type WireReference = NonNullable<VideoRequestBody['input_references']>[number];

type Reference = NonNullable<VideoRequest['inputReferences']>[number];

function toReference(reference: WireReference): Reference {
  switch (reference.type) {
    case 'image_url':
      return { kind: 'image', url: normalizeMediaUrl(reference.image_url.url) };
    case 'audio_url':
      return { kind: 'audio', url: normalizeMediaUrl(reference.audio_url.url) };
    case 'video_url':
      return { kind: 'video', url: normalizeMediaUrl(reference.video_url.url) };
  }
}
