/** Checks that deaths and outages cost and lose nothing of videos that Veo makes on Vertex AI, into a bucket. */
import { expect, test } from '@jest/globals';
import { startVertexUpstream, type VertexUpstream } from '../providers/google/upstream.ts';
import { describeVendorVideos } from './vendor-videos.ts';

let vertex: VertexUpstream;

const jobs = describeVendorVideos({
  name: 'Google Vertex AI',
  start: async () => (vertex = await startVertexUpstream()),
  env: ({ baseUrl, tokens }) => ({
    PROVIDER_GOOGLE_VERTEX_API_KEY: tokens.serviceAccount(),
    PROVIDER_GOOGLE_VERTEX_BASE_URL: baseUrl,
  }),
  request: { model: 'google/veo-3.1-lite', prompt: 'A kite', duration: 8, resolution: '720p' },
  submitted: ({ videos }) => videos.list(),
  usage: { cost: 0.4 },
  bill: { billed: '400000000' },
});

test('the tokens are few: one for each process', () => {
  expect(vertex.tokens.given()).toBeLessThanOrEqual(2 * jobs.length);
});
