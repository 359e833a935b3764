/** Lists Replicate's models of videos, with the prices of their pages, because no price source has them. */
import type { Vendor } from '../vendor.ts';

export const REPLICATE: Vendor = {
  name: 'replicate',
  provider: {
    slug: 'replicate',
    name: 'Replicate',
    adapter: 'replicate',
    baseUrl: 'https://api.replicate.com/v1',
    privacyPolicyUrl: 'https://replicate.com/privacy',
    termsOfServiceUrl: 'https://replicate.com/terms',
    statusPageUrl: 'https://www.replicatestatus.com/',
    headquarters: 'US',
  },
  models: [
    {
      id: 'google/veo-3.1',
      canonicalSlug: 'google/veo-3.1',
      name: 'Google: Veo 3.1',
      description: 'Video with sound from text, from a first frame, or between a first and a last frame.',
      inputModalities: ['text', 'image'],
      outputModalities: ['video'],
      createdAt: '2025-10-15',
    },
    {
      id: 'kwaivgi/kling-v2.5-turbo-pro',
      canonicalSlug: 'kwaivgi/kling-v2.5-turbo-pro',
      name: 'Kling: 2.5 Turbo Pro',
      description: 'Silent video from text or from a first frame.',
      inputModalities: ['text', 'image'],
      outputModalities: ['video'],
      createdAt: '2025-09-23',
    },
  ],
  endpoints: [],
  videoEndpoints: [
    {
      modelId: 'google/veo-3.1',
      upstreamModelId: 'google/veo-3.1',
      maxRunSeconds: 1800,
      capabilities: {
        resolutions: ['1080p', '720p'],
        aspectRatios: ['16:9', '9:16'],
        durations: [8, 4, 6],
        frameImages: ['first_frame', 'last_frame'],
        generateAudio: true,
        seed: true,
        passthroughParameters: ['negative_prompt'],
      },
      priced: {
        page: 'https://replicate.com/google/veo-3.1',
        pricingSkus: {
          duration_seconds: '0.20',
          duration_seconds_with_audio: '0.40',
        },
      },
    },
    {
      modelId: 'kwaivgi/kling-v2.5-turbo-pro',
      upstreamModelId: 'kwaivgi/kling-v2.5-turbo-pro',
      maxRunSeconds: 1800,
      capabilities: {
        aspectRatios: ['16:9', '9:16', '1:1'],
        durations: [5, 10],
        frameImages: ['first_frame'],
        seed: false,
        passthroughParameters: ['negative_prompt'],
      },
      priced: {
        page: 'https://replicate.com/kwaivgi/kling-v2.5-turbo-pro',
        pricingSkus: {
          duration_seconds: '0.07',
        },
      },
    },
  ],
};
