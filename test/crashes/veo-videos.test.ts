/** Checks that deaths and outages cost and lose nothing of videos that Veo makes on Vertex AI, into a bucket. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTokenServer, type TokenServer } from '../providers/google/vertex-tokens.ts';
import { startVeoUpstream } from '../providers/google/veo-upstream.ts';
import { describeVendorVideos } from './vendor-videos.ts';

let tokens: TokenServer;
beforeAll(async () => {
  tokens = await startTokenServer();
});
afterAll(() => tokens.close());

const jobs = describeVendorVideos({
  name: 'Google Vertex AI',
  start: startVeoUpstream,
  env: ({ url }) => ({
    PROVIDER_GOOGLE_VERTEX_API_KEY: tokens.serviceAccount({ project_id: 'p1', region: 'us-central1' }),
    PROVIDER_GOOGLE_VERTEX_BASE_URL: `${url}/v1`,
  }),
  request: { model: 'google/veo-3.1-lite', prompt: 'A kite', duration: 8, resolution: '720p' },
  submitted: (vendor) => vendor.operations().map(({ name }) => ({ id: name })),
  usage: { cost: 0.4 },
  bill: { billed: '400000000' },
});

test('the tokens are few: one for each process', () => {
  expect(tokens.given()).toBeLessThanOrEqual(2 * jobs.length);
});
