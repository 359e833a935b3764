import { z } from 'zod';
import { JOB_STATUSES } from '../domain/job.ts';

const id = z.string().meta({ examples: ['gen-vid-1767225600000-a1B2c3D4e5F6g7H8i9J0'] });
const pollingUrl = z.string().meta({ description: 'Relative to the origin of the API.' });

export const jobStatus = z.enum(JOB_STATUSES);

/** The answer to POST /videos. Not wrapped in `data`, like every answer that is a video job. */
export const acceptedVideo = z
  .object({ id, polling_url: pollingUrl, status: jobStatus })
  .meta({ id: 'AcceptedVideo', description: 'A video job that was just accepted.' });

export const video = z
  .object({
    id,
    polling_url: pollingUrl,
    status: jobStatus,
    generation_id: z.string().optional().meta({ description: 'Once processing has ended.' }),
    error: z.string().optional().meta({ description: 'Why there is no video.' }),
    unsigned_urls: z.array(z.string()).optional().meta({
      description: 'One per output, to be fetched with an API key, while the outputs are kept.',
    }),
    urls: z.array(z.string()).optional().meta({
      description:
        'One per output, signed: whoever has one can download without a key, for an hour at most. Each answer has fresh ones.',
    }),
    expires_at: z.int().optional().meta({
      description: 'Unix seconds: when the outputs stop being available. Only while they are kept.',
    }),
    usage: z
      .object({ cost: z.number().nullable().optional(), is_byok: z.boolean().optional() })
      .optional()
      .meta({ description: 'Dollars. Once completed, and of a cancelled job that is billed.' }),
  })
  .meta({ id: 'Video', description: 'A video job.' });

export const videoList = z
  .object({ data: z.array(video), total_count: z.int() })
  .meta({ id: 'VideoList', description: 'Newest first.' });

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
    supported_sizes: z.array(z.string()).nullable(),
    supported_frame_images: z.array(z.string()).nullable(),
    generate_audio: z.boolean().nullable(),
    seed: z.boolean().nullable(),
    creativity: z.array(z.int()).nullable(),
    upscale_factor: z.object({ min: z.number().optional(), max: z.number().optional() }).nullable(),
    allowed_passthrough_parameters: z.array(z.string()),
    pricing_skus: z.record(z.string(), z.string()).nullable().optional().meta({
      description: 'Decimal dollars by billing unit.',
    }),
  })
  .meta({ id: 'VideoModel', description: 'A model and what it accepts; null means: not taken at all.' });

export const videoModelList = z.object({ data: z.array(videoModel) }).meta({ id: 'VideoModelList' });

export type AcceptedVideo = z.output<typeof acceptedVideo>;
export type Video = z.output<typeof video>;
export type VideoModelRecord = z.output<typeof videoModel>;
