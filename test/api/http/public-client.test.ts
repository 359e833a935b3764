import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import type { VideoModel } from '../../../domain/catalog/catalog.ts';
import type { VideoJob } from '../../../domain/videos/video-job.ts';
import { JOB_ID, JOB_PATH, pendingVideo } from '../support/sample-video.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';
import { publishedClient } from '../../support/published-client.ts';

const model: VideoModel = {
  id: 'local/sketch',
  canonicalSlug: 'local/sketch',
  name: 'Sketch',
  description: null,
  huggingFaceId: null,
  createdAt: new Date('2026-01-01T00:00:00.500Z'),
  endpoints: [
    {
      id: 'e',
      modelId: 'local/sketch',
      providerSlug: 'local',
      upstreamModelId: 'sketch',
      region: 'global',
      pricingSkus: { duration_seconds: '0.03' },
      maxRunSeconds: 60,
      priority: 0,
      capabilities: {
        resolutions: ['360p'],
        aspectRatios: null,
        durations: [4],
        sizes: null,
        frameImages: ['first_frame'],
        inputReferences: null,
        generateAudio: null,
        seed: true,
        creativity: null,
        upscaleFactor: { min: 1 },
        passthroughParameters: [],
        continuation: false,
        continuationDuration: false,
        promptOptional: false,
      },
    },
  ],
};

let job: VideoJob = pendingVideo;
let api: ServedApi;

beforeAll(async () => {
  api = await serveApi({
    videos: {
      create: async (_principal, _request, { respond }) => ({ ...respond(job), replayed: false }),
      get: async () => job,
      models: () => [model],
    },
  });
});
afterAll(() => api.close());

describe('a public client of this API shape', () => {
  const client = (): OpenRouter => publishedClient(api, 'regular-key');

  test('submits and polls a video and lists models', async () => {
    const { videoGeneration } = client();
    const accepted = await videoGeneration.generate({
      videoGenerationRequest: { model: 'local/sketch', prompt: 'a boat' },
    });
    expect(accepted).toMatchObject({ id: JOB_ID, status: 'pending', pollingUrl: JOB_PATH });
    job = { ...pendingVideo, status: 'completed', costNanos: 1_000_000_000n };
    const polled = await videoGeneration.getGeneration({ jobId: JOB_ID });
    expect(polled).toMatchObject({ status: 'completed', usage: { cost: 1, isByok: false } });
    const models = await videoGeneration.listVideosModels();
    expect(models.data[0]).toMatchObject({
      id: 'local/sketch',
      created: 1767225600,
      supportedDurations: [4],
    });
  });
});
