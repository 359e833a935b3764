import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { VideoService } from '../../../services/videos/video-service.ts';
import { asRegular, principals } from '../support/fake-services.ts';
import { JOB_ID, JOB_PATH, pendingVideo } from '../support/sample-video.ts';
import { HOP_MARKS, serveApi, type ServedApi } from '../support/serve-api.ts';

let creations: Parameters<VideoService['create']>[] = [];
let api: ServedApi;

beforeAll(async () => {
  api = await serveApi({
    videos: {
      create: async (...creation) => {
        creations.push(creation);
        const [, , { respond, idempotency }] = creation;
        return { ...respond(pendingVideo), replayed: idempotency?.key === 'again' };
      },
    },
  });
});
afterAll(() => api.close());
beforeEach(() => {
  creations = [];
});

function create(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${api.origin}/api/v1/videos`, {
    method: 'POST',
    headers: { ...asRegular, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('POST /videos', () => {
  test('hands out one signal for the departure of its caller, however often it is asked', async () => {
    await create({ model: 'local/sketch', prompt: 'a kite' });
    const [, , { gone }] = creations[0]!;
    expect(gone()).toBe(gone());
  });

  test('answers 202 with id, polling_url and status', async () => {
    const answer = await create({ model: 'local/sketch', prompt: 'a boat' });
    expect(answer.status).toBe(202);
    expect(answer.headers.has('idempotent-replayed')).toBe(false);
    expect(await answer.json()).toEqual({ id: JOB_ID, polling_url: JOB_PATH, status: 'pending' });
  });

  test('maps each field of the request to the video service', async () => {
    await create(
      {
        model: 'local/sketch',
        prompt: 'a boat',
        aspect_ratio: '16:9',
        resolution: '720p',
        size: '1280x720',
        duration: 4,
        seed: 7,
        generate_audio: false,
        frame_images: [
          { type: 'image_url', image_url: { url: 'https://a.example/1.png' }, frame_type: 'last_frame' },
        ],
        input_references: [
          { type: 'image_url', image_url: { url: 'https://a.example/2.png' } },
          { type: 'audio_url', audio_url: { url: 'https://a.example/3.mp3' } },
          { type: 'video_url', video_url: { url: 'https://a.example/4.mp4' } },
        ],
        previous_job_id: JOB_ID,
        upscale_factor: 1.5,
        creativity: 2,
        callback_url: 'https://a.example/hook',
        session_id: 'body',
        user: 'u',
        trace: { trace_id: 't', extra: 1 },
        provider: { options: { local: { style: 'ink' } } },
      },
      { 'x-session-id': 'header' },
    );
    expect(creations[0]?.[0].principal).toBe(principals['regular-key']);
    expect(creations[0]?.[1]).toEqual({
      model: 'local/sketch',
      prompt: 'a boat',
      aspectRatio: '16:9',
      resolution: '720p',
      size: { width: 1280, height: 720 },
      durationSeconds: 4,
      seed: 7,
      generateAudio: false,
      frameImages: [{ url: 'https://a.example/1.png', frameType: 'last_frame' }],
      inputReferences: [
        { kind: 'image', url: 'https://a.example/2.png' },
        { kind: 'audio', url: 'https://a.example/3.mp3' },
        { kind: 'video', url: 'https://a.example/4.mp4' },
      ],
      previousJobId: JOB_ID,
      upscaleFactor: 1.5,
      creativity: 2,
      callbackUrl: 'https://a.example/hook',
      sessionId: 'body',
      user: 'u',
      trace: { trace_id: 't', extra: 1 },
      passthrough: { local: { style: 'ink' } },
    });
  });

  test('refuses max_price, and allows it to be null', async () => {
    const refused = await create({ model: 'm', provider: { max_price: { request: 1 } } });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringMatching(/"body.provider.max_price","message":"is not available for videos/),
    ]);
    expect((await create({ model: 'm', provider: { max_price: null } })).status).toBe(202);
  });

  test('reads the session from the header, and drops an empty prompt', async () => {
    await create({ model: 'm', prompt: '' }, { 'x-session-id': 'header' });
    expect(creations[0]?.[1]).toEqual({ model: 'm', sessionId: 'header' });
  });

  test('refuses a session header over 256 characters unless the body has a session', async () => {
    const header = { 'x-session-id': 'h'.repeat(257) };
    const refused = await create({ model: 'm' }, header);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { metadata: { issues: [{ path: 'headers.x-session-id' }] } },
    });
    const taken = await create({ model: 'm', session_id: 's' }, header);
    expect([taken.status, creations.at(-1)?.[1]]).toEqual([202, { model: 'm', sessionId: 's' }]);
  });

  test("passes the client's request id, app, user agent and hops to the service", async () => {
    await create(
      { model: 'm' },
      {
        'x-request-id': 'r1',
        'http-referer': 'https://app.example',
        'x-openrouter-title': 'My app',
        'x-openrouter-categories': 'fun',
        'user-agent': 'agent/1',
        'sluice-hops': 'another-gateway',
      },
    );
    expect(creations[0]?.[0].client).toEqual({
      requestId: 'r1',
      referer: 'https://app.example',
      title: 'My app',
      categories: 'fun',
      userAgent: 'agent/1',
      hops: `another-gateway, ${HOP_MARKS[0]}`,
    });
  });
});

describe('an idempotency key', () => {
  const claimOf = async (body: unknown, key: string): Promise<unknown> => {
    await create(body, { 'idempotency-key': key });
    return creations.at(-1)?.[2].idempotency;
  };

  test('reaches the service with a hash that differs between bodies', async () => {
    const first = await claimOf({ model: 'm', seed: 1 }, 'k');
    expect(first).toEqual({ key: 'k', requestHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await claimOf({ model: 'm', seed: 1 }, 'k')).toEqual(first);
    expect(await claimOf({ model: 'm', seed: 2 }, 'k')).not.toEqual(first);
  });

  test('marks a replayed response with idempotent-replayed', async () => {
    const answer = await create({ model: 'm' }, { 'idempotency-key': 'again' });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
  });

  test.each(['', 'é', 'k'.repeat(256)])('answers 400 when it is malformed: %p', async (key) => {
    const answer = await create({ model: 'm' }, { 'idempotency-key': key });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { metadata: { issues: [{ path: 'headers.idempotency-key' }] } },
    });
    expect(creations).toEqual([]);
  });
});
