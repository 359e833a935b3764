/** Defines the answers of the operations on video jobs and video models. */
import { z } from 'zod';
import { meteredUsage } from './video-usage.ts';
import { JOB_STATUSES } from '../../domain/videos/job.ts';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES } from '../../domain/webhooks/webhook-delivery.ts';
import { JOB_ID } from './video-examples.ts';
import { videoWaiting } from './video-waiting.ts';

const id = z.string().meta({ examples: [JOB_ID] });

/** The id may be any string. An invalid id is a 404, like a job that does not exist. */
export const jobParams = z.object({ jobId: id });

const pollingUrl = z.string().meta({ description: 'Relative to the origin of the API.' });

export const jobStatus = z.enum(JOB_STATUSES);

/** The answer to POST /videos. It is not wrapped in `data`; no answer with a video job is. */
export const acceptedVideo = z
  .object({ id, polling_url: pollingUrl, status: jobStatus })
  .meta({ id: 'AcceptedVideo', description: 'A video job that was just accepted.' });

const time = z.iso.datetime();

const webhook = z
  .object({
    state: z.enum(DELIVERY_STATUSES).meta({
      description:
        '`pending`: the job is open, or attempts remain. `exhausted`: the last attempt failed. `stopped`: the receiver answered 410.',
    }),
    attempts: z.int().meta({ description: 'The number of attempts that were started, replays included.' }),
    last_status: z.int().nullable().meta({
      description:
        'The HTTP status of the latest finished attempt. Null: it got no response, or no attempt has finished.',
    }),
    last_outcome: z.enum(ATTEMPT_OUTCOMES).nullable().meta({
      description:
        'The outcome of the latest finished attempt. `refused`: the event was not sent, because the address is not allowed or there is no signing secret; or the receiver answered 410. Null: no attempt has finished.',
    }),
    last_reason: z.string().nullable().meta({
      description:
        'The reason why the latest finished attempt failed, as in the delivery log. Null: it did not fail, or no attempt has finished.',
    }),
  })
  .meta({ id: 'VideoWebhook', description: "The state of the delivery of the job's event." });

export const video = z
  .object({
    id,
    polling_url: pollingUrl,
    status: jobStatus,
    model: z.string(),
    created_at: time,
    started_at: time.nullable().meta({ description: 'The time at which a provider accepted the job.' }),
    progress: z.int().min(0).max(100).nullable().meta({
      description:
        'The percentage that the provider last reported. Null before the first report; 100 once the job has completed.',
    }),
    waiting: videoWaiting.nullable().meta({
      description:
        'Null once a provider has accepted the job or the job has ended, and during the first submission.',
    }),
    deadline_at: time.meta({
      description:
        'The time at which the job expires if it has not ended. It moves when a provider accepts the job.',
    }),
    cancel_requested_at: time.nullable().meta({
      description:
        'The time of the first request to cancel the job. It stays if the job ends in another way.',
    }),
    webhook: webhook.nullable().meta({
      description:
        'Null without a callback URL, and at the end of a job whose event `webhook_event_types` of the workspace excludes.',
    }),
    generation_id: z.string().optional().meta({ description: 'Present once the job has ended.' }),
    error: z.string().optional().meta({ description: 'The reason why there is no video.' }),
    unsigned_urls: z.array(z.string()).optional().meta({
      description: 'One URL per output. A download requires an API key. Present while the outputs are kept.',
    }),
    urls: z.array(z.string()).optional().meta({
      description:
        'One URL per output. They are signed: they allow a download without a key for up to an hour. Each answer has new ones.',
    }),
    urls_expire_at: z.int().optional().meta({
      description: 'The time at which the URLs in `urls` end, in Unix seconds. Present with `urls`.',
    }),
    expires_at: z.int().optional().meta({
      description: 'The time until which the outputs are kept, in Unix seconds. Present while they are kept.',
    }),
    usage: z
      .object({
        cost: z.number().nullable().optional(),
        is_byok: z.boolean().optional(),
        ...meteredUsage,
      })
      .optional()
      .meta({
        description: 'The cost in dollars. Present for a completed job, and for a cancelled job with a cost.',
      }),
  })
  .meta({ id: 'Video', description: 'A video job.' });

export const videoList = z
  .object({ data: z.array(video), total_count: z.int() })
  .meta({ id: 'VideoList', description: 'A page of jobs, the newest first.' });

export const videoModel = z
  .object({
    id: z.string(),
    canonical_slug: z.string(),
    name: z.string(),
    created: z.int().meta({ description: 'Unix seconds.' }),
    description: z.string().optional(),
    hugging_face_id: z.string().nullable().optional(),
    supported_resolutions: z.array(z.string()).nullable(),
    supported_aspect_ratios: z.array(z.string()).nullable(),
    supported_durations: z.array(z.int()).nullable().meta({ description: 'Seconds.' }),
    supported_sizes: z.array(z.string()).nullable().meta({
      description:
        'Every `size` that an endpoint of the model makes, including the sizes of resolutions and aspect ratios. A job goes to an endpoint that makes its size.',
    }),
    size_rule: z.string().nullable().meta({
      description:
        'The rule for `size` in words, completing "must be". It joins the rules of the endpoints with "; or", and includes the rounding of sides. A resolution names the shorter side in pixels: 1024 for `1K`, 1440 for `2K`, 2160 for `4K`, otherwise its number. Null: no pixels are accepted.',
    }),
    supported_frame_images: z.array(z.string()).nullable(),
    generate_audio: z.boolean().nullable(),
    seed: z.boolean().nullable(),
    creativity: z.array(z.int()).nullable(),
    upscale_factor: z.object({ min: z.number().optional(), max: z.number().optional() }).nullable(),
    allowed_passthrough_parameters: z.array(z.string()),
    pricing_skus: z.record(z.string(), z.string()).nullable().optional().meta({
      description:
        'Decimal dollars by billing unit, under the names of OpenRouter. The units `video_tokens`, `audio_tokens`, `input_tokens`, `text_tokens` and `billable_units` (those of the vendor) are counted by the vendor, and known at the end of a job.',
    }),
  })
  .meta({
    id: 'VideoModel',
    description:
      'A model with the parameters that it accepts: the sizes of all its endpoints, and the other parameters of its best endpoint. Null: the parameter is not accepted.',
  });

export const videoModelList = z.object({ data: z.array(videoModel) }).meta({ id: 'VideoModelList' });

export type AcceptedVideo = z.output<typeof acceptedVideo>;
export type Video = z.output<typeof video>;
export type VideoModelRecord = z.output<typeof videoModel>;
