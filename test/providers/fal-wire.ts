import { z } from 'zod';

/**
 * The inputs of fal's apps, from their pages. fal itself ignores fields that an app lacks; here they are refused, so
 * that every field that the adapter sends is a documented one.
 */
const prompt = z.string().min(1);
const seeded = { prompt, seed: z.int().optional() };
const url = z.string().regex(/^(https?:|data:)/);
const last = url.optional();
const flag = z.boolean().optional();
const text = z.string().optional();
const oneOf = (...values: string[]) => z.enum(values).optional();
const seconds = (from: number, to: number) =>
  oneOf(...Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`));

const squares = oneOf('16:9', '9:16', '1:1');
const urls = z.array(url).min(1).max(9).optional();
const references = { image_urls: urls, video_urls: urls, audio_urls: urls };
const num_images = z.int().min(1).max(4).optional();

const veo = {
  ...seeded,
  aspect_ratio: oneOf('16:9', '9:16'),
  duration: oneOf('4s', '6s', '8s'),
  resolution: oneOf('720p', '1080p', '4k'),
  generate_audio: flag,
  negative_prompt: text,
};
const turbo = { prompt, duration: oneOf('5', '10'), negative_prompt: text, cfg_scale: z.number().optional() };
const kling = { ...turbo, duration: seconds(3, 15), generate_audio: flag };
const seedance = {
  ...seeded,
  resolution: oneOf('480p', '720p'),
  duration: seconds(4, 15),
  aspect_ratio: oneOf('21:9', '16:9', '4:3', '1:1', '3:4', '9:16'),
  generate_audio: flag,
};
const wan = {
  ...seeded,
  resolution: oneOf('720p', '1080p'),
  duration: z.int().min(2).max(15).optional(),
  negative_prompt: text,
  enable_prompt_expansion: flag,
};
const hailuo = { prompt, prompt_optimizer: flag };
const luma = {
  prompt,
  aspect_ratio: oneOf('16:9', '9:16', '4:3', '3:4', '21:9', '9:21'),
  resolution: oneOf('540p', '720p', '1080p'),
  duration: oneOf('5s', '9s'),
  loop: flag,
};

export const VIDEO_APPS: Record<string, z.ZodRawShape> = {
  'acme/clip': { prompt },
  'fal-ai/veo3.1': veo,
  'fal-ai/veo3.1/image-to-video': { ...veo, image_url: url },
  'fal-ai/kling-video/v3/pro/text-to-video': { ...kling, aspect_ratio: squares },
  'fal-ai/kling-video/v3/pro/image-to-video': { ...kling, start_image_url: url, end_image_url: last },
  'fal-ai/kling-video/v2.5-turbo/pro/text-to-video': { ...turbo, aspect_ratio: squares },
  'fal-ai/kling-video/v2.5-turbo/pro/image-to-video': { ...turbo, image_url: url, tail_image_url: last },
  'bytedance/seedance-2.0/text-to-video': seedance,
  'bytedance/seedance-2.0/image-to-video': { ...seedance, image_url: url, end_image_url: last },
  'bytedance/seedance-2.0/reference-to-video': { ...seedance, ...references },
  'fal-ai/wan/v2.7/text-to-video': { ...wan, aspect_ratio: oneOf('16:9', '9:16', '1:1', '4:3', '3:4') },
  'fal-ai/wan/v2.7/image-to-video': { ...wan, image_url: url, end_image_url: last },
  'fal-ai/minimax/hailuo-2.3/pro/text-to-video': hailuo,
  'fal-ai/minimax/hailuo-2.3/pro/image-to-video': { ...hailuo, image_url: url },
  'fal-ai/luma-dream-machine/ray-2-flash': luma,
};

const image_size = z.strictObject({ width: z.int(), height: z.int() }).optional();
const flux = { ...seeded, image_size, output_format: oneOf('jpeg', 'png') };
const banana = {
  ...seeded,
  num_images,
  aspect_ratio: text,
  resolution: oneOf('0.5K', '1K', '2K', '4K'),
  output_format: oneOf('jpeg', 'png', 'webp'),
};

export const IMAGE_APPS: Record<string, z.ZodRawShape> = {
  'fal-ai/flux/dev': { ...flux, num_images },
  'fal-ai/flux-2-flex': flux,
  'fal-ai/nano-banana-2': banana,
  'fal-ai/nano-banana-2/edit': { ...banana, image_urls: z.array(url).min(1) },
};
