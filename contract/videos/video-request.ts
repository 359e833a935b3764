import { z } from 'zod';
import { VIDEO_JOB_ID_PATTERN } from '../../domain/ids.ts';
import { orNull } from '../or-null.ts';
import { hasAllowedSides, PIXELS_PATTERN, SIDES_RULE } from '../pixels.ts';
import { providerOptions } from '../routing/provider-options.ts';
import { endUser, sessionId, trace } from '../request-metadata.ts';
import { httpUrl, mediaUrl, text } from '../text.ts';

const ASPECT_RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;
const RESOLUTIONS = ['360p', '480p', '720p', '768p', '1080p', '1K', '2K', '4K'] as const;
const FRAME_TYPES = ['first_frame', 'last_frame'] as const;

const size = z
  .string()
  .regex(PIXELS_PATTERN, { error: 'must be WIDTHxHEIGHT in pixels, such as 1280x720', abort: true })
  .refine(hasAllowedSides, SIDES_RULE);

const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: mediaUrl('image') }),
});
const audioPart = z.object({
  type: z.literal('audio_url'),
  audio_url: z.object({ url: mediaUrl('audio') }),
});
const videoPart = z.object({
  type: z.literal('video_url'),
  video_url: z.object({ url: mediaUrl('video') }),
});

const frameImage = imagePart
  .extend({ frame_type: z.enum(FRAME_TYPES) })
  .meta({ id: 'FrameImage', description: 'An image that the video starts or ends with.' });

const inputReference = z
  .discriminatedUnion('type', [imagePart, audioPart, videoPart])
  .meta({ id: 'InputReference', description: 'An image, audio clip or video to work from.' });

/**
 * The body of POST /videos. Unknown fields are ignored, as clients of this API shape expect. The service checks rules
 * that depend on the model (a prompt, an allowed size), with the same kind of issue.
 */
export const videoRequest = z
  .object({
    model: text({ min: 1, max: 256 }).meta({ description: 'A model of `GET /videos/models`.' }),
    prompt: orNull(text()).meta({
      description: 'The content of the video. Optional only for models that can work from an image alone.',
    }),
    aspect_ratio: orNull(z.enum(ASPECT_RATIOS)),
    resolution: orNull(z.enum(RESOLUTIONS)),
    size: orNull(size).meta({
      description:
        '`WIDTHxHEIGHT` in pixels, an alternative to `resolution` with `aspect_ratio`. The size is made exactly. A size outside `supported_sizes` of `GET /videos/models` is a 400. So is a `resolution` or `aspect_ratio` that does not match the size.',
      examples: ['1280x720'],
    }),
    duration: orNull(z.int().min(1)).meta({ description: 'Seconds.' }),
    seed: orNull(z.int()).meta({
      description: 'The seed for repeatable sampling, if the provider supports it.',
    }),
    generate_audio: orNull(z.boolean()).meta({
      description: 'True: the video has sound. Default: that of the model.',
    }),
    frame_images: orNull(z.array(frameImage)),
    input_references: orNull(z.array(inputReference)),
    previous_job_id: orNull(
      z
        .string()
        .regex(VIDEO_JOB_ID_PATTERN, 'must be the id of a video job, gen-vid-<timestamp>-<20 alphanumerics>'),
    ).meta({ description: 'A completed job of the same model to edit or extend.' }),
    upscale_factor: orNull(z.number().gt(0)).meta({ description: 'Upscaling models only.' }),
    creativity: orNull(z.int()).meta({ description: 'Upscaling models only.' }),
    callback_url: orNull(httpUrl({ max: 2048 })).meta({
      description: 'Receives the webhook instead of the default of the workspace. Must be https.',
    }),
    session_id: orNull(sessionId).meta({
      description:
        'Groups requests. Takes precedence over the `x-session-id` header. Never sent to the provider.',
    }),
    user: orNull(endUser),
    trace: orNull(trace),
    provider: orNull(
      z.object({
        options: providerOptions,
        max_price: z
          .null({ error: 'is not available for videos; a key with a limit bounds their cost' })
          .optional()
          .meta({
            description:
              'Refused: no endpoint of videos is chosen by price limits. `pricing_skus` of a model has its prices.',
          }),
      }),
    ),
  })
  .meta({ id: 'VideoRequest' });

export type VideoRequestBody = z.output<typeof videoRequest>;
