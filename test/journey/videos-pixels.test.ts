import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { VideoModelRecord } from '../../contract/videos/video.ts';
import { type ReplicateUpstream, startReplicateUpstream } from '../providers/replicate-upstream.ts';
import { UPSTREAM_KEY } from '../providers/upstream-client.ts';
import { errorOf } from '../support/caller.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';

let gateway: Gateway;
let replicate: ReplicateUpstream;

beforeAll(async () => {
  replicate = await startReplicateUpstream();
  const env = { PROVIDER_VENDOR_API_KEY: UPSTREAM_KEY, PROVIDER_THIRD_API_KEY: 'upstream-key' };
  gateway = await startGateway({ worker: ['video'], env });
  await addVideoModel(gateway, 'test/ways', [
    {
      provider: 'vendor',
      adapter: 'replicate',
      baseUrl: replicate.baseUrl,
      upstreamModelId: 'acme/clip',
      capabilities: { sizes: null, resolutions: ['480p', '720p'], aspectRatios: ['16:9', '9:16'] },
    },
    {
      provider: 'local',
      upstreamModelId: 'clip-1',
      capabilities: { sizes: ['640x362'], resolutions: ['360p'], aspectRatios: ['16:9'] },
    },
    {
      provider: 'third',
      adapter: 'openai-compatible',
      upstreamModelId: 'clip-1',
      capabilities: { sizes: ['320x180'] },
    },
  ]);
});

afterAll(async () => {
  await gateway.close();
  await replicate.upstream.close();
});

/** Jobs that are made and not rendered. */
const UNRENDERED = { local: { faults: [{ kind: 'fail' }] } };
const body = (more: object) => ({
  model: 'test/ways',
  prompt: 'a kite',
  provider: { options: UNRENDERED },
  ...more,
});

interface Sent {
  provider: string;
  fields: Record<string, unknown>;
}

/** What the vendor of a job, the latest there, was sent. */
async function sentFor(jobId: string): Promise<Sent> {
  return eventually(`the submission of ${jobId}`, async () => {
    const { rows } = await gateway.database.query<{ provider: string }>(
      `select provider from job_submissions where job_id = $1 and state = 'accepted'`,
      [jobId],
    );
    const provider = rows[0]?.provider;
    if (provider === undefined) return undefined;
    const fields =
      provider === 'vendor'
        ? replicate.predictions().at(-1)!.input
        : gateway.upstream.requests('create').at(-1)!.fields!;
    return { provider, fields };
  });
}

async function listed(): Promise<VideoModelRecord> {
  const response = await gateway.call('GET', '/videos/models');
  const { data } = (await response.json()) as { data: VideoModelRecord[] };
  return data.find(({ id }) => id === 'test/ways')!;
}

describe('a job with an exact size', () => {
  test.each<[string, object, Sent]>([
    ['854x480', {}, { provider: 'vendor', fields: { resolution: '480p', aspect_ratio: '16:9' } }],
    ['720x1280', { aspect_ratio: '9:16' }, { provider: 'vendor', fields: { resolution: '720p' } }],
    ['640x360', {}, { provider: 'local', fields: { size: '640x360' } }],
    ['640x362', {}, { provider: 'local', fields: { size: '640x362' } }],
    ['320x180', {}, { provider: 'third', fields: { size: '320x180' } }],
    ['320x180', { aspect_ratio: '16:9' }, { provider: 'third', fields: { size: '320x180' } }],
  ])('%s with %j goes to the endpoint that makes this size', async (size, more, sent) => {
    const { id } = await submit(gateway, body({ size, ...more }));
    expect(await sentFor(id)).toMatchObject(sent);
  });

  test.each<[string, object, string, string]>([
    ['641x361', {}, 'body.size', 'must be one of'],
    ['853x480', {}, 'body.size', 'must be one of 854x480, 480x854, 1280x720, 720x1280'],
    ['16x16', {}, 'body.size', 'whose longer side is rounded to an even number'],
    [
      '640x362',
      { aspect_ratio: '16:9' },
      'body.aspect_ratio',
      'must match the size 640x362: 16:9 makes 640x360',
    ],
    [
      '1280x720',
      { resolution: '480p' },
      'body.resolution',
      'must match the size 1280x720: 480p makes 854x480',
    ],
  ])('%s with %j answers 400 before anything is written', async (size, more, path, rule) => {
    const countJobs = () => gateway.database.query('select count(*) from video_jobs');
    const { rows: before } = await countJobs();
    const refused = await errorOf(await gateway.call('POST', '/videos', { body: body({ size, ...more }) }));
    expect(refused.code).toBe(400);
    expect(refused.metadata.issues).toEqual([{ path, message: expect.stringContaining(rule) }]);
    expect((await countJobs()).rows).toEqual(before);
  });
});

test('GET /videos/models lists the sizes and rules of all endpoints, which make each exactly', async () => {
  const { supported_sizes: sizes, size_rule: rule } = await listed();
  const ofBest = ['854x480', '480x854', '1280x720', '720x1280'];
  expect(sizes).toEqual([...ofBest, '640x362', '640x360', '320x180']);
  const [best, second, third] = rule!.split('; or ');
  expect(best).toMatch(/^one of 854x480, .*: the pixels of a resolution and an aspect_ratio/);
  expect(second).toMatch(/^one of 640x362, 640x360: sizes of its own, and/);
  expect(third).toBe('one of 320x180');
  for (const size of sizes!) {
    const { id } = await submit(gateway, body({ size }));
    const sent = await sentFor(id);
    if (!ofBest.includes(size)) expect(sent.fields).toMatchObject({ size });
    const { resolution, aspect_ratio: ratio } = sent.fields;
    const again = await submit(gateway, body({ size, resolution, aspect_ratio: ratio }));
    expect((await sentFor(again.id)).fields).toEqual(sent.fields);
  }
});
