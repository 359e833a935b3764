/**
 * Lists Google's models of videos, with the prices of ai.google.dev/gemini-api/docs/pricing and the end of 1.1 in
 * ai.google.dev/gemini-api/docs/deprecations, as public copies quoted them on 2026-11-28. A second at 720p is 5,792
 * tokens; the page prices other sizes by the second, at a third (360p), 1.5 times (1080p) and three times (4K).
 */
import type { Vendor, VendorModel, VendorVideoEndpoint } from '../vendor.ts';

const seconds = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** The tokens of a second, by the endings of prices. The largest size is the limit where no size is named. */
const USUAL_TOKENS = { '': '5792', _360p: '1931', _720p: '5792', _1080p: '8688', _4k: '17376' };
const MOST_TOKENS = { '': '18000', _360p: '2000', _720p: '6000', _1080p: '9000', _4k: '18000' };

function perSecond(tokens: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tokens).map(([ending, count]) => [`per_second${ending}`, count]));
}

const model = (version: string, facts: Partial<VendorModel>): VendorModel => ({
  id: `google/gemini-omni-${version}-flash`,
  canonicalSlug: `google/gemini-omni-${version}-flash`,
  name: `Google: Gemini Omni ${version} Flash`,
  description:
    'Video with sound from text, from a first frame, between a first and a last frame, or from reference pictures. Edits its own videos.',
  inputModalities: ['text', 'image'],
  outputModalities: ['video'],
  // The day on which the model came into this catalog.
  createdAt: '2026-11-28',
  ...facts,
});

const endpoint = (version: string, videoToken: string, durations: number[]): VendorVideoEndpoint => ({
  modelId: `google/gemini-omni-${version}-flash`,
  upstreamModelId: `gemini-omni-${version}-flash`,
  meters: {
    video_tokens: { usual: perSecond(USUAL_TOKENS), most: perSecond(MOST_TOKENS) },
    // The window of the model, which edits of a long video fill most.
    input_tokens: { usual: { per_video: '300' }, most: { per_video: '131072' } },
    text_tokens: { usual: { per_video: '500' }, most: { per_video: '10000' } },
  },
  maxRunSeconds: 1800,
  capabilities: {
    resolutions: ['720p', '360p', '1080p', '4K'],
    aspectRatios: ['16:9', '9:16'],
    durations: [8, ...durations.filter((each) => each !== 8)],
    frameImages: ['first_frame', 'last_frame'],
    inputReferences: ['image'],
    generateAudio: true,
    seed: false,
    continuation: true,
  },
  priced: {
    page: 'https://ai.google.dev/gemini-api/docs/pricing',
    pricingSkus: { video_tokens: videoToken, input_tokens: '0.0000015', text_tokens: '0.000009' },
  },
});

const OMNI = endpoint('1.2', '0.000012', seconds(3, 15));

export const GOOGLE_VIDEOS: Required<Pick<Vendor, 'models' | 'videoEndpoints'>> = {
  models: [model('1.2', {}), model('1.1', { createdAt: '2026-08-27', expirationDate: '2026-12-03' })],
  videoEndpoints: [OMNI, endpoint('1.1', '0.0000175', seconds(3, 10))],
};

/**
 * Omni and Veo on Google's cloud. LiteLLM's map has the same prices of Omni 1.2 there. The larger versions of Veo ended
 * on 2026-11-17. The price is the one with sound; a video without sound costs the same here.
 */
export const VERTEX_VIDEOS: typeof GOOGLE_VIDEOS = {
  models: [
    {
      id: 'google/veo-3.1-lite',
      canonicalSlug: 'google/veo-3.1-lite',
      name: 'Google: Veo 3.1 Lite',
      description: 'Video with sound from text, from a first frame, or between a first and a last frame.',
      inputModalities: ['text', 'image'],
      outputModalities: ['video'],
      // The day on which the model came into this catalog.
      createdAt: '2026-11-28',
    },
  ],
  videoEndpoints: [
    {
      modelId: 'google/veo-3.1-lite',
      upstreamModelId: 'veo-3.1-lite-generate-001',
      maxRunSeconds: 1800,
      capabilities: {
        resolutions: ['720p', '1080p'],
        aspectRatios: ['16:9', '9:16'],
        durations: [8, 4, 6],
        frameImages: ['first_frame', 'last_frame'],
        generateAudio: true,
        seed: true,
        passthroughParameters: ['negativePrompt', 'personGeneration'],
      },
      priced: {
        page: 'https://cloud.google.com/vertex-ai/generative-ai/pricing',
        pricingSkus: { duration_seconds: '0.05', duration_seconds_1080p: '0.08' },
      },
    },
    {
      ...OMNI,
      priced: {
        ...OMNI.priced,
        page: 'https://cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing',
      },
    },
  ],
};
