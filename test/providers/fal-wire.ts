import { z } from 'zod';

/**
 * The inputs of fal's apps, from their pages. fal itself ignores fields that an app lacks; here they are refused, so
 * that every field that the adapter sends is a documented one.
 */
const prompt = z.string().min(1);
const url = z.string().regex(/^(https?:|data:)/);
const seed = z.int();
const ratio = (...ratios: [string, ...string[]]) => z.enum(ratios).optional();
const seconds = (from: number, to: number) =>
  z.enum(Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`));

const veo = {
  prompt,
  aspect_ratio: ratio('16:9', '9:16'),
  duration: z.enum(['4s', '6s', '8s']).optional(),
  resolution: z.enum(['720p', '1080p', '4k']).optional(),
  generate_audio: z.boolean().optional(),
  negative_prompt: z.string().optional(),
  seed: seed.optional(),
};
const kling = {
  prompt,
  duration: seconds(3, 15).optional(),
  generate_audio: z.boolean().optional(),
  negative_prompt: z.string().optional(),
  cfg_scale: z.number().optional(),
};
const turbo = {
  prompt,
  duration: z.enum(['5', '10']).optional(),
  negative_prompt: z.string().optional(),
  cfg_scale: z.number().optional(),
};
const seedance = {
  prompt,
  resolution: z.enum(['480p', '720p']).optional(),
  duration: seconds(4, 15).optional(),
  aspect_ratio: ratio('21:9', '16:9', '4:3', '1:1', '3:4', '9:16'),
  generate_audio: z.boolean().optional(),
  seed: seed.optional(),
};
const wan = {
  prompt,
  resolution: z.enum(['720p', '1080p']).optional(),
  duration: z.int().min(2).max(15).optional(),
  negative_prompt: z.string().optional(),
  enable_prompt_expansion: z.boolean().optional(),
  seed: seed.optional(),
};
const hailuo = { prompt, prompt_optimizer: z.boolean().optional() };
const squares = ratio('16:9', '9:16', '1:1');
const urls = z.array(url).min(1).max(9).optional();

export const VIDEO_APPS: Record<string, z.ZodRawShape> = {
  'acme/clip': { prompt },
  'fal-ai/veo3.1': veo,
  'fal-ai/veo3.1/image-to-video': { ...veo, image_url: url },
  'fal-ai/kling-video/v3/pro/text-to-video': { ...kling, aspect_ratio: squares },
  'fal-ai/kling-video/v3/pro/image-to-video': {
    ...kling,
    start_image_url: url,
    end_image_url: url.optional(),
  },
  'fal-ai/kling-video/v2.5-turbo/pro/text-to-video': { ...turbo, aspect_ratio: squares },
  'fal-ai/kling-video/v2.5-turbo/pro/image-to-video': {
    ...turbo,
    image_url: url,
    tail_image_url: url.optional(),
  },
  'bytedance/seedance-2.0/text-to-video': seedance,
  'bytedance/seedance-2.0/image-to-video': { ...seedance, image_url: url, end_image_url: url.optional() },
  'bytedance/seedance-2.0/reference-to-video': {
    ...seedance,
    image_urls: urls,
    video_urls: urls,
    audio_urls: urls,
  },
  'fal-ai/wan/v2.7/text-to-video': { ...wan, aspect_ratio: ratio('16:9', '9:16', '1:1', '4:3', '3:4') },
  'fal-ai/wan/v2.7/image-to-video': { ...wan, image_url: url, end_image_url: url.optional() },
  'fal-ai/minimax/hailuo-2.3/pro/text-to-video': hailuo,
  'fal-ai/minimax/hailuo-2.3/pro/image-to-video': { ...hailuo, image_url: url },
  'fal-ai/luma-dream-machine/ray-2-flash': {
    prompt,
    aspect_ratio: ratio('16:9', '9:16', '4:3', '3:4', '21:9', '9:21'),
    resolution: z.enum(['540p', '720p', '1080p']).optional(),
    duration: z.enum(['5s', '9s']).optional(),
    loop: z.boolean().optional(),
  },
};

const flux = {
  prompt,
  image_size: z.strictObject({ width: z.int(), height: z.int() }).optional(),
  seed: seed.optional(),
  output_format: z.enum(['jpeg', 'png']).optional(),
};
const banana = {
  prompt,
  num_images: z.int().min(1).max(4).optional(),
  aspect_ratio: z.string().optional(),
  resolution: z.enum(['0.5K', '1K', '2K', '4K']).optional(),
  seed: seed.optional(),
  output_format: z.enum(['jpeg', 'png', 'webp']).optional(),
};

export const IMAGE_APPS: Record<string, z.ZodRawShape> = {
  'fal-ai/flux/dev': { ...flux, num_images: z.int().min(1).max(4).optional() },
  'fal-ai/flux-2-flex': flux,
  'fal-ai/nano-banana-2': banana,
  'fal-ai/nano-banana-2/edit': { ...banana, image_urls: z.array(url).min(1) },
};
