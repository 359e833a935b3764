/** Lists an exchange with each vendor of videos for a submission and a status, with an answer that it may give. */
import type { Provider } from '../../providers/provider.ts';
import type { VideoAdapter } from '../../providers/video-adapter.ts';
import { SERVERS, type VendorExchange } from './vendor-exchange.ts';

const videoOf = ({ video }: Provider): VideoAdapter => video!;
const JOB = { prompt: 'A boat', idempotencyKey: 'k' };
const FAL = {
  id: 'r1',
  status: 'a/requests/r1/status',
  response: 'a/requests/r1',
  cancel: 'a/requests/r1/cancel',
};
/** The name of an operation of Veo. */
export const VEO = 'projects/p/locations/global/publishers/google/models/m/operations/1';

export const VIDEO_EXCHANGES: VendorExchange[] = [
  {
    operation: 'the submission of a video',
    adapters: SERVERS,
    answer: {
      id: 'v1',
      object: 'video',
      model: 'm',
      status: 'queued',
      progress: 0,
      created_at: 1,
      error: null,
    },
    decides: ['id'],
    ask: (provider, context) => videoOf(provider).submit({ upstreamModel: 'm', ...JOB }, context),
  },
  {
    operation: 'the status of a video',
    adapters: SERVERS,
    answer: {
      id: 'v1',
      object: 'video',
      model: 'm',
      status: 'completed',
      progress: 100,
      created_at: 1,
      completed_at: 2,
      expires_at: 3,
      size: '720x1280',
      seconds: '8',
      remixed_from_video_id: null,
      error: null,
    },
    decides: ['status'],
    ask: (provider, context) => videoOf(provider).status({ id: 'v1' }, context),
  },
  {
    operation: 'the status of a failed video',
    adapters: SERVERS,
    answer: {
      id: 'v1',
      status: 'failed',
      progress: 40,
      error: { code: 'moderation_blocked', message: 'No.' },
    },
    decides: ['status'],
    ask: (provider, context) => videoOf(provider).status({ id: 'v1' }, context),
  },
  {
    operation: 'the submission of a video',
    adapters: ['replicate'],
    answer: {
      id: 'p1',
      model: 'a/b',
      version: 'v',
      status: 'starting',
      input: {},
      urls: { get: 'https://a.example' },
    },
    decides: ['id'],
    ask: (provider, context) => videoOf(provider).submit({ upstreamModel: 'a/b', ...JOB }, context),
  },
  {
    operation: 'the status of a video',
    adapters: ['replicate'],
    answer: {
      id: 'p1',
      status: 'succeeded',
      output: 'https://replicate.example/out.mp4',
      error: null,
      logs: '',
      created_at: '2026-11-20T10:00:00Z',
      completed_at: '2026-11-20T10:01:00Z',
      deadline: '2026-11-20T11:00:00Z',
      metrics: { predict_time: 3.5 },
    },
    decides: ['status', 'output'],
    ask: (provider, context) => videoOf(provider).status({ id: 'p1' }, context),
  },
  {
    operation: 'the submission of a video',
    adapters: ['fal'],
    answer: {
      request_id: 'r1',
      status_url: 'https://queue.fal.run/a/requests/r1/status',
      response_url: 'https://queue.fal.run/a/requests/r1',
      cancel_url: 'https://queue.fal.run/a/requests/r1/cancel',
      queue_position: 0,
    },
    decides: ['request_id', 'status_url', 'response_url', 'cancel_url'],
    ask: (provider, context) => videoOf(provider).submit({ upstreamModel: 'a', ...JOB }, context),
  },
  {
    // The stand-in answers the request for the result alike.
    operation: 'the status of a video',
    adapters: ['fal'],
    answer: {
      status: 'COMPLETED',
      metrics: { inference_time: 3.5 },
      video: { url: 'https://fal.example/out.mp4', content_type: 'video/mp4', file_size: 9 },
      seed: 7,
    },
    decides: ['status', 'video', 'video.url'],
    ask: (provider, context) => videoOf(provider).status(FAL, context),
  },
  {
    operation: 'the submission of a video',
    adapters: ['google'],
    answer: { id: 'i1', object: 'interaction', status: 'in_progress', created: '2026-11-28T10:00:00Z' },
    decides: ['id'],
    ask: (provider, context) => videoOf(provider).submit({ upstreamModel: 'm', ...JOB }, context),
  },
  {
    operation: 'the status of a video',
    adapters: ['google'],
    answer: {
      id: 'i1',
      status: 'completed',
      model: 'm',
      steps: [
        { type: 'thought', signature: 's' },
        { type: 'model_output', content: [{ type: 'video', uri: 'https://files.example/a.mp4' }] },
      ],
      usage: {
        total_input_tokens: 21,
        output_tokens_by_modality: [{ modality: 'video', tokens: 900 }],
        total_thought_tokens: 4,
      },
    },
    decides: [
      'status',
      'steps',
      'steps.1',
      'steps.1.type',
      'steps.1.content',
      'steps.1.content.0.type',
      'steps.1.content.0.uri',
    ],
    ask: (provider, context) => videoOf(provider).status({ id: 'i1' }, context),
  },
  {
    operation: 'the submission of a video',
    adapters: ['google-vertex'],
    answer: { name: VEO, metadata: {} },
    decides: ['name'],
    ask: (provider, context) => videoOf(provider).submit({ upstreamModel: 'm', ...JOB }, context),
  },
  {
    operation: 'the status of a video',
    adapters: ['google-vertex'],
    answer: {
      name: VEO,
      metadata: {},
      done: true,
      response: {
        '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse',
        raiMediaFilteredCount: 0,
        raiMediaFilteredReasons: [],
        videos: [{ gcsUri: 'gs://b-1/a.mp4', mimeType: 'video/mp4' }],
      },
    },
    decides: ['done', 'response', 'response.videos', 'response.videos.0', 'response.videos.0.gcsUri'],
    ask: (provider, context) => videoOf(provider).status({ id: VEO }, context),
  },
];
