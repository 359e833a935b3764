import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ConflictResponseError,
  ForbiddenResponseError,
  GoneResponseError,
  NotFoundResponseError,
  PaymentRequiredResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import type { VideoGenerationResponse } from '@openrouter/sdk/models';
import { addKey } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const UNKNOWN = 'gen-vid-1767225600000-aaaaaaaaaaaaaaaaaaaa';
const CANNED = { model: 'local/clip-canned', prompt: 'a test' };

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['video'] });
  client = clientOf(gateway.apiKey);
});

afterAll(async () => {
  await gateway.close();
});

/** The published client of this API shape, as its README has it, but for the address. */
function clientOf(apiKey: string): OpenRouter {
  return new OpenRouter({
    apiKey,
    serverURL: `${gateway.origin}/api/v1`,
    httpReferer: 'https://app.example.com',
    appTitle: 'Kites',
    retryConfig: { strategy: 'none' },
  });
}

function generate(by: OpenRouter, request: object = CANNED): Promise<VideoGenerationResponse> {
  return by.videoGeneration.generate({ videoGenerationRequest: { ...CANNED, ...request } });
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('the published client', () => {
  test('submits a job, polls it and downloads the video', async () => {
    const accepted = await generate(client, { sessionId: 'session-1', user: 'customer-1', duration: 1 });
    expect(accepted).toMatchObject({ id: expect.stringMatching(/^gen-vid-/), status: 'pending' });
    expect(accepted.pollingUrl).toBe(`/api/v1/videos/${accepted.id}`);

    const job = await eventually('the end of the job', async () => {
      const seen = await client.videoGeneration.getGeneration({ jobId: accepted.id });
      return seen.status === 'completed' ? seen : undefined;
    });
    expect(job).toMatchObject({
      id: accepted.id,
      generationId: expect.stringMatching(/^gen-/),
      unsignedUrls: [expect.stringContaining(accepted.id)],
      usage: { cost: 0.01, isByok: false },
    });

    const video = await readAll(await client.videoGeneration.getVideoContent({ jobId: job.id }));
    expect(video.subarray(4, 8).toString()).toBe('ftyp');
    const { rows } = await gateway.database.query(
      `select http_referer, app_title, session_id, external_user
       from generations join generation_details using (created_at, id)`,
    );
    expect(rows).toEqual([
      {
        http_referer: 'https://app.example.com',
        app_title: 'Kites',
        session_id: 'session-1',
        external_user: 'customer-1',
      },
    ]);
  });

  test('lists the video models', async () => {
    const { data } = await client.videoGeneration.listVideosModels();
    const kinds = ['1', 'canned', 'credits', 'deduction', 'modalities', 'ticks', 'tokens', 'units'];
    expect(data.map(({ id }) => id)).toEqual(kinds.map((kind) => `local/clip-${kind}`));
    expect(data[1]).toMatchObject({
      canonicalSlug: 'local/clip-canned',
      supportedDurations: [1],
      supportedSizes: ['320x180'],
      supportedResolutions: null,
      allowedPassthroughParameters: ['faults'],
      pricingSkus: { duration_seconds: '0.01' },
    });
  });

  test('describes the key in use', async () => {
    const { data } = await client.apiKeys.getCurrentKeyMetadata();
    expect(data).toMatchObject({
      label: `${gateway.apiKey.slice(0, 10)}...${gateway.apiKey.slice(-4)}`,
      isManagementKey: false,
      limit: null,
      limitRemaining: null,
      workspaceId: gateway.workspaceId,
      organizationId: gateway.organizationId,
    });
    const management = await clientOf(gateway.managementKey).apiKeys.getCurrentKeyMetadata();
    expect(management.data).toMatchObject({ isManagementKey: true, isProvisioningKey: true });
  });
});

describe('an error of the published client', () => {
  const spent = async (): Promise<OpenRouter> => clientOf((await addKey(gateway, { limitNanos: 0n })).token);

  test.each<
    [name: string, call: () => Promise<unknown>, type: new (...args: never[]) => Error, code: number]
  >([
    ['400', () => generate(client, { duration: 99 }), BadRequestResponseError, 400],
    ['401', () => generate(clientOf('sk-slc-none')), UnauthorizedResponseError, 401],
    ['402', async () => generate(await spent()), PaymentRequiredResponseError, 402],
    ['403', () => generate(clientOf(gateway.managementKey)), ForbiddenResponseError, 403],
    ['404 for a model', () => generate(client, { model: 'local/none' }), NotFoundResponseError, 404],
    [
      '404 for a job',
      () => client.videoGeneration.getGeneration({ jobId: UNKNOWN }),
      NotFoundResponseError,
      404,
    ],
    [
      '404 for a content',
      () => client.videoGeneration.getVideoContent({ jobId: UNKNOWN }),
      NotFoundResponseError,
      404,
    ],
  ])('has its own class and status for %s', async (_name, call, type, code) => {
    const thrown: unknown = await call().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(type);
    expect(thrown).toMatchObject({ statusCode: code, error: { code, message: expect.any(String) } });
  });

  test("has its own class for 409 before the video's end and 410 after its expiry", async () => {
    const content = (jobId: string): Promise<unknown> =>
      client.videoGeneration.getVideoContent({ jobId }).catch((error: unknown) => error);
    gateway.upstream.addFaults({ kind: 'stall' });
    expect(await content((await generate(client)).id)).toBeInstanceOf(ConflictResponseError);

    await eventually('the provider having taken that job', async () =>
      gateway.upstream.requests('create').length === 2 ? true : undefined,
    );
    const { id } = await generate(client);
    await eventually('the end of the next job', async () => {
      const { status } = await client.videoGeneration.getGeneration({ jobId: id });
      return status === 'completed' ? true : undefined;
    });
    await gateway.database.query('update video_jobs set outputs_expire_at = now() where id = $1', [id]);
    expect(await content(id)).toBeInstanceOf(GoneResponseError);
  });
});
