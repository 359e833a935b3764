import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createFile, MP4BoxBuffer } from 'mp4box';
import { startUpstream, type UpstreamClient } from './upstream-client.ts';

const SMALL = { size: '160x128', seconds: '1' };

let client: UpstreamClient;
const closing: UpstreamClient[] = [];

beforeAll(async () => {
  client = await startUpstream();
  closing.push(client);
});

afterAll(() => Promise.all(closing.map(({ upstream }) => upstream.close())));

describe('rendered files', () => {
  test('contain H.264 in MP4 with requested duration and size, and key frames', async () => {
    const { video, mp4 } = await client.render({ prompt: 'A lighthouse', size: '640x360', seconds: '3' });
    expect(video).toMatchObject({ status: 'completed', progress: 100, size: '640x360', seconds: '3' });
    const file = createFile();
    file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(new Uint8Array(mp4).buffer, 0));
    const [track] = file.getInfo().videoTracks;
    expect(file.getInfo().created.getTime()).toBe(Date.UTC(1904, 0, 1));
    expect(track?.codec).toMatch(/^avc1\./);
    expect(track).toMatchObject({ nb_samples: 72, video: { width: 640, height: 360 } });
    expect((track?.duration ?? 0) / (track?.timescale ?? 1)).toBe(3);
    const keyFrames = file.getTrackSamplesInfo(track?.id ?? 0).filter((sample) => sample.is_sync);
    expect(keyFrames.map((sample) => sample.number)).toEqual([0, 48]);
  });

  test('have the same bytes for the same request and seed', async () => {
    const request = { prompt: 'A lighthouse', seed: 7, ...SMALL };
    const [first, second] = [await client.render(request), await client.render(request)];
    expect(first.video.id).not.toBe(second.video.id);
    expect(first.mp4.equals(second.mp4)).toBe(true);
  });

  test('differ by prompt and by seed', async () => {
    const lighthouse = await client.render({ prompt: 'A lighthouse', seed: 7, ...SMALL });
    const harbor = await client.render({ prompt: 'A harbor', seed: 7, ...SMALL });
    const otherSeed = await client.render({ prompt: 'A lighthouse', seed: 8, ...SMALL });
    expect(lighthouse.mp4.equals(harbor.mp4)).toBe(false);
    expect(lighthouse.mp4.equals(otherSeed.mp4)).toBe(false);
  });

  test('have the same bytes for every prompt with the canned model', async () => {
    const first = await client.render({ model: 'clip-canned', prompt: 'one' });
    const second = await client.render({ model: 'clip-canned', prompt: 'two' });
    expect(first.mp4.length).toBeGreaterThan(1000);
    expect(first.mp4.equals(second.mp4)).toBe(true);
  });

  test("keep the source's size and name the source in a remix", async () => {
    const source = await client.render({ prompt: 'A lighthouse', ...SMALL });
    const answer = await client.call('POST', `/v1/videos/${source.video.id}/remix`, { prompt: 'At night' });
    const remix = await client.ended(((await answer.json()) as { id: string }).id);
    expect(remix).toMatchObject({
      status: 'completed',
      prompt: 'At night',
      size: '160x128',
      remixed_from_video_id: source.video.id,
    });
  });
});

describe('video jobs of the local upstream', () => {
  test('exist once per idempotency key when two requests race', async () => {
    const key = { 'idempotency-key': 'one-and-the-same' };
    const request = { model: 'clip-canned', prompt: 'once' };
    const videos = await Promise.all([client.create(request, key), client.create(request, key)]);
    expect(videos[0].id).toBe(videos[1].id);
    const answer = await client.call('GET', '/v1/videos?idempotency_key=one-and-the-same');
    expect(await answer.json()).toMatchObject({ data: [{ id: videos[0].id }], has_more: false });
  });

  test('cannot be found by an unused idempotency key', async () => {
    const answer = await client.call('GET', '/v1/videos?idempotency_key=never-used');
    expect(await answer.json()).toMatchObject({ data: [], first_id: null });
  });

  test('appear newest first, page by page', async () => {
    const made: string[] = [];
    for (const prompt of ['a', 'b', 'c'])
      made.unshift((await client.create({ model: 'clip-canned', prompt })).id);
    const first = await (await client.call('GET', '/v1/videos?limit=2')).json();
    expect(first).toMatchObject({
      data: [{ id: made[0] }, { id: made[1] }],
      last_id: made[1],
      has_more: true,
    });
    const next = await (await client.call('GET', `/v1/videos?limit=1&after=${made[1]}`)).json();
    expect(next).toMatchObject({ data: [{ id: made[2] }] });
  });

  test('show progress, leave the server responsive, and end when deleted', async () => {
    const { id } = await client.create({ prompt: 'A long one', size: '1280x720', seconds: '20' });
    let video = await client.retrieve(id);
    while (video.progress === 0) video = await client.retrieve(id);
    expect(video.status).toBe('in_progress');
    expect((await client.call('DELETE', `/v1/videos/${id}`)).status).toBe(200);
    expect((await client.call('GET', `/v1/videos/${id}`)).status).toBe(404);
    const { video: next } = await client.render({ prompt: 'The thread is free again', ...SMALL });
    expect(next.status).toBe('completed');
  });

  test('get 429 with Retry-After when the queue is full', async () => {
    const full = await startUpstream({ maxWaitingRenders: 0 });
    closing.push(full);
    const answer = await full.call('POST', '/v1/videos', { prompt: 'No room' });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('5');
  });
});

describe('requests to the local upstream', () => {
  test.each([
    ['an unknown model', { model: 'sora-2', prompt: 'x' }, 404, 'model'],
    ['no prompt and no image', { seconds: '1' }, 400, 'prompt'],
    ['odd sides', { prompt: 'x', size: '641x360' }, 400, 'size'],
    ['a huge frame', { prompt: 'x', size: '2560x2560' }, 400, 'size'],
    ['too many seconds', { prompt: 'x', seconds: '21' }, 400, 'seconds'],
    [
      'a remote image',
      { prompt: 'x', input_reference: { image_url: 'http://127.0.0.1/a.png' } },
      400,
      'input_reference',
    ],
    ['an unknown fault', { prompt: 'x', faults: [{ kind: 'explode' }] }, 400, 'faults'],
  ])('get an error in OpenAI’s envelope for %s', async (_, body, status, param) => {
    const answer = await client.call('POST', '/v1/videos', body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });

  test('need the key, except the health check', async () => {
    for (const path of ['/v1/videos', '/control/requests']) {
      expect((await client.call('GET', path, undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    }
    expect((await client.call('GET', '/healthz', undefined, { authorization: '' })).status).toBe(200);
  });

  test('appear in a log that tests can read', async () => {
    await client.call('DELETE', '/control/requests');
    await client.create({ model: 'clip-canned', prompt: 'logged' }, { 'idempotency-key': 'log-1' });
    const log = await (await client.call('GET', '/control/requests?target=create')).json();
    expect(log).toMatchObject({
      data: [
        {
          method: 'POST',
          target: 'create',
          idempotencyKey: 'log-1',
          fields: { prompt: 'logged' },
          outcome: 200,
        },
      ],
    });
  });
});

describe('a fault ordered from the local upstream', () => {
  test('happens in as many next requests as the control endpoint was given', async () => {
    const faults = [{ kind: 'status', on: 'create', status: 503, times: 2 }];
    expect((await client.call('POST', '/control/faults', { faults })).status).toBe(200);
    const create = () => client.call('POST', '/v1/videos', { model: 'clip-canned', prompt: 'x' });
    const statuses = [(await create()).status, (await create()).status, (await create()).status];
    expect(statuses).toEqual([503, 503, 200]);
  });

  test('happens once, and not again in a retry with the same idempotency key', async () => {
    const body = {
      model: 'clip-canned',
      prompt: 'x',
      faults: [{ kind: 'status', on: 'create', status: 500 }],
    };
    const send = () => client.call('POST', '/v1/videos', body, { 'idempotency-key': 'retried' });
    expect([(await send()).status, (await send()).status]).toEqual([500, 200]);
  });

  test('affect only the job of their request', async () => {
    const hit = await client.create({
      model: 'clip-canned',
      prompt: 'x',
      faults: [{ kind: 'fail', code: 'unlucky' }],
    });
    const spared = await client.create({ model: 'clip-canned', prompt: 'x' });
    expect(await client.ended(hit.id)).toMatchObject({ status: 'failed', error: { code: 'unlucky' } });
    expect(await client.ended(spared.id)).toMatchObject({ status: 'completed', error: null });
  });

  test('stream an MP4 of exact size, made of boxes to its last byte', async () => {
    const bytes = 1_000_000;
    const { mp4 } = await client.render({
      model: 'clip-canned',
      prompt: 'x',
      faults: [{ kind: 'stream', bytes, of: 'mp4' }],
    });
    const file = createFile();
    file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(new Uint8Array(mp4).buffer, 0));
    expect(file.boxes.map(({ type }) => type)).toEqual(['ftyp', 'mdat']);
    expect(file.boxes.reduce((sum, { size }) => sum + size, 0)).toBe(bytes);
    expect(mp4).toHaveLength(bytes);
  });
});
