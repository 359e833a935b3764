import { afterEach, describe, expect, test } from '@jest/globals';
import type { ImageAnswer, ImageRequest } from '../../providers/image-adapter.ts';
import { jsonReply } from '../../upstream/reply.ts';
import { describePicture } from '../support/images.ts';
import { PNG } from '../support/tiny-png.ts';
import { startFalUpstream } from './fal-upstream.ts';
import { setUpProvider } from './provider-under-test.ts';
import { failureOf } from './text-adapter-under-test.ts';

const REQUEST: ImageRequest = {
  model: 'fal-ai/flux/dev',
  prompt: 'A lighthouse',
  n: 1,
  size: { width: 1024, height: 768 },
  outputFormat: 'png',
  references: [],
};
const REFUSED = { code: 'content_policy', retryable: false };

const fal = setUpProvider('fal', startFalUpstream);
afterEach(() => (fal.client.answers.pictures = undefined));

const generate = (more: Partial<ImageRequest> = {}): Promise<ImageAnswer> =>
  fal.provider().image!.generate({ ...REQUEST, ...more }, fal.newContext());
const requests = () => fal.client.upstream.requests('images');

describe('pictures of fal', () => {
  test('come as files, with the billed units', async () => {
    const { images, units } = await generate({ n: 3, seed: 7 });
    const formats = images.map(({ b64Json }) => describePicture(String(b64Json)).format);
    expect([formats, units]).toEqual([['png', 'png', 'png'], '3']);
    expect(requests().at(-1)).toMatchObject({
      path: '/fal-ai/flux/dev',
      fields: { num_images: 3, image_size: REQUEST.size, seed: 7, output_format: 'png' },
    });
  });

  test('have names in place of pixels, and references at the app that edits', async () => {
    const names = { size: undefined, aspectRatio: '16:9', resolution: '2K', references: [PNG] };
    await generate({ model: 'fal-ai/nano-banana-2', ...names, options: { prompt: 'Another' } });
    expect(requests().at(-1)).toMatchObject({
      path: '/fal-ai/nano-banana-2/edit',
      fields: { prompt: 'A lighthouse', aspect_ratio: '16:9', resolution: '2K' },
    });
  });

  test('may be data URLs, and more than requested', async () => {
    fal.client.answers.pictures = jsonReply(200, { images: [{ url: PNG }, { url: PNG }] });
    expect(await generate()).toEqual({ images: [{ b64Json: PNG.split(',')[1] }] });
  });

  test('stay out of the answer when flagged, and fail as content_policy when all are', async () => {
    const answer = (...flags: boolean[]) =>
      jsonReply(200, { images: flags.map(() => ({ url: PNG })), has_nsfw_concepts: flags });
    fal.client.answers.pictures = answer(true, false);
    expect((await generate({ n: 2 })).images).toHaveLength(1);
    fal.client.answers.pictures = answer(true);
    expect(await failureOf(generate())).toMatchObject(REFUSED);
    fal.fault({ kind: 'status', on: 'images', status: 422, code: 'content_policy_violation' });
    expect(await failureOf(generate())).toMatchObject(REFUSED);
  });

  test('fail as invalid_response for an answer of another shape', async () => {
    fal.fault({ kind: 'wrong-shape', on: 'images' });
    expect(await failureOf(generate())).toMatchObject({ code: 'invalid_response', retryable: true });
  });

  test('send nothing to fal when a reference is invalid', async () => {
    const before = requests().length;
    for (const url of ['https://10.0.0.1/a.png', 'data:image/gif;base64,AAAA', 'data:image/png;base64,']) {
      expect(await failureOf(generate({ references: [url] }))).toMatchObject({ code: 'invalid_request' });
    }
    expect(requests()).toHaveLength(before);
  });
});
