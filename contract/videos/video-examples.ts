/** Provides the API reference with examples of video jobs, video models and requests. */
import { EXAMPLE_PICTURE } from '../example-picture.ts';
import type { Example } from '../operation.ts';

export const JOB_ID = 'gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0';
const ORIGIN = 'https://gateway.example.com';

const job = { id: JOB_ID, polling_url: `/api/v1/videos/${JOB_ID}` };

export const acceptedVideo = { ...job, status: 'pending' };

const started = {
  model: 'local/clip-1',
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:01.000Z',
  waiting: null,
  deadline_at: '2026-01-01T01:00:01.000Z',
  cancel_requested_at: null,
};

export const openVideo = {
  ...job,
  status: 'in_progress',
  ...started,
  cancel_requested_at: '2026-01-01T00:00:40.000Z',
  progress: 40,
  webhook: null,
};

export const completedVideo = {
  ...job,
  status: 'completed',
  ...started,
  progress: 100,
  webhook: {
    state: 'delivered',
    attempts: 1,
    last_status: 204,
    last_outcome: 'delivered',
    last_reason: null,
  },
  generation_id: 'gen-1767225600000-K9l8M7n6O5p4Q3r2S1t0',
  unsigned_urls: [`${ORIGIN}/api/v1/videos/${JOB_ID}/content?index=0`],
  urls: [
    `${ORIGIN}/api/v1/videos/${JOB_ID}/outputs/0?expires=1767229200&signature=c2lnbmVkLWJ5LXRoZS1nYXRld2F5`,
  ],
  urls_expire_at: 1767229200,
  expires_at: 1767830400,
  usage: { cost: 0.12, is_byok: false },
};

const failedVideo = {
  ...job,
  status: 'failed',
  ...started,
  progress: null,
  webhook: {
    state: 'pending',
    attempts: 1,
    last_status: 503,
    last_outcome: 'failed',
    last_reason: 'the receiver answered 503',
  },
  generation_id: 'gen-1767225600000-K9l8M7n6O5p4Q3r2S1t0',
  error: 'The provider could not generate the video',
};

const pendingVideo = {
  ...job,
  status: 'pending',
  ...started,
  started_at: null,
  progress: null,
  waiting: {
    reason: 'rate_limited',
    since: '2026-01-01T00:00:01.000Z',
    next_try_at: '2026-01-01T00:05:01.000Z',
  },
  webhook: null,
};

export const videoList = { data: [pendingVideo, completedVideo, failedVideo], total_count: 3 };

export const videoModelList = {
  data: [
    {
      id: 'local/clip-1',
      canonical_slug: 'local/clip-1',
      name: 'Local: Clip 1',
      created: 1767225600,
      description: 'Draws the prompt as a moving title card. No model runs; it is for trying things out.',
      supported_resolutions: ['360p', '720p'],
      supported_aspect_ratios: ['16:9', '9:16', '1:1'],
      supported_durations: [4, 8],
      supported_sizes: ['640x360', '360x640', '360x360', '1280x720', '720x1280', '720x720'],
      size_rule:
        'one of 640x360, 360x640, 360x360, 1280x720, 720x1280, 720x720: the pixels of a resolution and an aspect_ratio, whose shorter side is that of the resolution and whose longer side is rounded to an even number',
      supported_frame_images: ['first_frame'],
      generate_audio: false,
      seed: true,
      creativity: null,
      upscale_factor: null,
      allowed_passthrough_parameters: [],
      pricing_skus: { duration_seconds: '0.01' },
    },
  ],
};

export const videoRequests: Record<string, Example> = {
  fromText: {
    summary: 'From a prompt',
    value: {
      model: 'local/clip-1',
      prompt: 'A paper boat on a rainy street',
      duration: 4,
      resolution: '720p',
      aspect_ratio: '16:9',
    },
  },
  fromImage: {
    summary: 'From a first frame',
    value: {
      model: 'local/clip-1',
      prompt: 'The boat sails away',
      size: '1280x720',
      seed: 7,
      frame_images: [
        {
          type: 'image_url',
          image_url: { url: EXAMPLE_PICTURE },
          frame_type: 'first_frame',
        },
      ],
      session_id: 'boats',
      trace: { trace_id: 'trace-1', campaign: 'spring' },
    },
  },
  withCallback: {
    summary: 'With a webhook to your server',
    value: {
      model: 'local/clip-1',
      prompt: 'A paper boat on a rainy street',
      callback_url: 'https://app.example.com/hooks/videos',
    },
  },
};
