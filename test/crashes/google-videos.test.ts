/** Checks that deaths and outages cost and lose nothing of videos that Google's Omni models make. */
import { startGeminiUpstream } from '../providers/google/upstream.ts';
import { UPSTREAM_KEY } from '../providers/upstream-client.ts';
import { describeVendorVideos } from './vendor-videos.ts';

/** 4 seconds of 5,792 tokens at $12 a million, 21 tokens of the prompt at $1.50, 412 of thoughts at $9. */
const COST = 0.2817555;

describeVendorVideos({
  name: 'Google Gemini API',
  start: startGeminiUpstream,
  env: ({ baseUrl }) => ({ PROVIDER_GOOGLE_API_KEY: UPSTREAM_KEY, PROVIDER_GOOGLE_BASE_URL: baseUrl }),
  request: { model: 'google/gemini-omni-1.2-flash', prompt: 'A kite', duration: 4, resolution: '720p' },
  submitted: ({ videos }) => videos.list(),
  webhook: { slug: 'google', finish: ({ videos }, id) => videos.finish(id) },
  usage: {
    cost: COST,
    units: { video_tokens: 23_168, audio_tokens: 0, input_tokens: 21, text_tokens: 412 },
  },
  bill: {
    cost: '281755500',
    billed: '281755500',
    report: { video_tokens: '23168', audio_tokens: '0', input_tokens: '21', text_tokens: '412' },
  },
});
