import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import type { VideoCapabilities, VideoEndpoint } from '../../../domain/catalog/catalog.ts';
import { newUuid } from '../../../domain/ids.ts';
import { parseUsd } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { VideoRequest } from '../../../domain/videos/video-request.ts';
import { planJob } from '../../../services/videos/plan-job.ts';
import { createCatalog } from '../../../services/catalog/catalog.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeModel } from '../../support/make-model.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const CAPABILITIES: VideoCapabilities = {
  resolutions: ['720p'],
  aspectRatios: ['16:9'],
  durations: [4],
  sizes: null,
  frameImages: null,
  inputReferences: null,
  generateAudio: false,
  seed: true,
  creativity: null,
  upscaleFactor: null,
  passthroughParameters: [],
  continuation: false,
  continuationDuration: false,
  promptOptional: false,
};

function endpoint(id: string, capabilities: Partial<VideoCapabilities>, usd: string): VideoEndpoint {
  return {
    id,
    modelId: 'a/b',
    providerSlug: id,
    upstreamModelId: 'b',
    region: 'global',
    pricingSkus: { duration_seconds: usd },
    capabilities: { ...CAPABILITIES, ...capabilities },
    maxRunSeconds: 600,
    priority: 0,
  };
}

const ENDPOINTS = [
  endpoint('cheap', { durations: [4] }, '0.01'),
  endpoint('long', { durations: [4, 8] }, '0.02'),
  endpoint('wide', { aspectRatios: ['16:9', '21:9'], sizes: ['1000x600'] }, '0.02'),
  endpoint('closed', { durations: [16] }, '0.03'),
];

/** Of another model, whose first endpoint is the dear one. */
const DEAR_FIRST = [endpoint('dear', {}, '0.05'), endpoint('fair', {}, '0.04')].map((one) => ({
  ...one,
  modelId: 'a/dear',
}));

const principal: Principal = {
  keyId: 1,
  keyHash: 'f'.repeat(64),
  kind: 'regular',
  label: 'sk-slc-abc...wxyz',
  organizationId: newUuid(),
  workspaceId: newUuid(),
};

async function plan(request: Partial<VideoRequest>) {
  const model = makeModel({ id: 'a/b', canonicalSlug: 'a/b-2026', outputModalities: ['video'] });
  const dear = makeModel({ id: 'a/dear', canonicalSlug: 'a/dear', outputModalities: ['video'] });
  const closed = makeModel({ id: 'a/closed', canonicalSlug: 'a/closed', outputModalities: ['video'] });
  const catalog = await createCatalog({
    store: {
      load: async () => ({
        providers: [],
        models: [model, dear, closed],
        endpoints: [
          ...ENDPOINTS,
          ...DEAR_FIRST,
          { ...endpoint('closed', {}, '0.01'), id: 'other', modelId: 'a/closed' },
        ],
        liveEndpoints: [],
        retiredEndpoints: [],
      }),
    },
    isRoutable: (slug) => slug !== 'closed',
  });
  const deps = {
    knex: database.knex,
    catalog,
    ownViews: { of: () => null },
    checkUrl: () => {},
    checkMediaUrl: () => {},
  };
  const [first] = await planJob(deps, principal, { model: 'a/b', prompt: 'a test', ...request });
  return first;
}

describe('the plan of a job', () => {
  test('takes every suitable endpoint in order, and the price of the first', async () => {
    const { endpoints, priceNanos } = await plan({});
    expect(endpoints.map(({ id }) => id)).toEqual(['cheap', 'long', 'wide']);
    expect(priceNanos).toBe(parseUsd('0.04'));
  });

  test('skips an endpoint that lacks the requested duration', async () => {
    const { endpoints, priceNanos, shaped } = await plan({ durationSeconds: 8 });
    expect(endpoints.map(({ id }) => id)).toEqual(['long']);
    expect(priceNanos).toBe(parseUsd('0.16'));
    expect(shaped).toMatchObject({ durationSeconds: 8, resolution: '720p', generateAudio: false });
  });

  test.each([
    ['1680x720', { width: 1680, height: 720 }, { aspectRatio: '21:9', resolution: '720p' }],
    ['1000x600', { width: 1000, height: 600 }, {}],
  ])('takes the endpoint that makes exactly %s', async (_name, size, names) => {
    const { endpoints, shaped } = await plan({ size });
    expect(endpoints.map(({ id }) => id)).toEqual(['wide']);
    expect(shaped).toMatchObject({ size, ...names });
  });

  test.each<[string, Partial<VideoRequest>, string]>([
    ['pixels that no endpoint makes', { size: { width: 1281, height: 721 } }, 'body.size'],
    [
      'a ratio that does not match them',
      { size: { width: 1680, height: 720 }, aspectRatio: '16:9' },
      'body.aspect_ratio',
    ],
  ])('refuses %s', async (_what, request, path) => {
    const refused = expect(plan(request)).rejects;
    await refused.toMatchObject({ code: 'invalid_request', options: { issues: [{ path }] } });
  });

  test('refuses a duration whose only endpoint has no credential', async () => {
    await expect(plan({ durationSeconds: 16 })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test("finds the model by its canonical slug and returns the model's id", async () => {
    expect((await plan({ model: 'a/b-2026' })).model.id).toBe('a/b');
  });

  test('fails with not_found for an unknown model, a missing credential and a missing previous job', async () => {
    const named = (message: string) => [{ path: 'body.model', message }];
    await expect(plan({ model: 'a/c' })).rejects.toMatchObject({
      code: 'not_found',
      options: {
        reason: 'model_not_found',
        issues: named('a/c is not a model that this deployment can reach. GET /models lists the models.'),
      },
    });
    await expect(plan({ model: 'a/closed' })).rejects.toMatchObject({
      code: 'not_found',
      options: {
        reason: 'no_credential',
        issues: named('a/closed is served by providers that this deployment has no credential of'),
      },
    });
    await expect(plan({ previousJobId: 'gen-vid-1-aaaaaaaaaaaaaaaaaaaa' })).rejects.toMatchObject({
      code: 'not_found',
      options: { reason: 'previous_job_not_found' },
    });
  });

  test.each([
    ['a/dear', ['dear', 'fair']],
    ['a/dear:nitro', ['dear', 'fair']],
    ['a/dear:floor', ['fair', 'dear']],
  ])('orders the endpoints of %s as its suffix says', async (model, ids) => {
    const planned = await plan({ model });
    expect(planned.model.id).toBe('a/dear');
    expect(planned.endpoints.map(({ id }) => id)).toEqual(ids);
    expect(planned.priceNanos).toBe(parseUsd(ids[0] === 'dear' ? '0.2' : '0.16'));
  });

  test('fails for the unsupported suffix ":online"', async () => {
    await expect(plan({ model: 'a/b:online' })).rejects.toMatchObject({
      code: 'invalid_request',
      options: { issues: [{ path: 'body.model' }] },
    });
  });

  test('reports the issues of the endpoint that misses least', async () => {
    await expect(plan({ generateAudio: true, durationSeconds: 8 })).rejects.toMatchObject({
      options: { issues: [{ path: 'body.generate_audio', message: 'this model makes no audio' }] },
    });
    await expect(plan({ durationSeconds: 9 })).rejects.toMatchObject({
      options: { issues: [{ path: 'body.duration', message: 'must be one of 4' }] },
    });
  });
});
