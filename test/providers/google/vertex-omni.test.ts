/** Checks videos of Omni models on Vertex AI. What interactions have in common is checked with the Gemini API. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { describeLacks } from '../adapter-submit.ts';
import { describeVideoPromises } from '../adapter-suite.ts';
import { jsonReply } from '../../../upstream/reply.ts';
import { type GoogleUpstream, startGlobalVertex } from './upstream.ts';
import { MP4 } from './video-jobs.ts';
import { inlineReply } from './video-replies.ts';

const model = 'gemini-omni-1.2-flash';
const adapter = describeVideoPromises('google-vertex', {
  start: startGlobalVertex,
  model,
  running: { state: 'running', vendorStatus: 'in_progress' },
  failedStatus: 'bad_luck',
  afterCancel: 'not_offered',
});
const vendor = () => adapter.client as GoogleUpstream;

afterEach(() => vendor().videos.answerWith(undefined));

describe('a request for an interaction on Vertex AI', () => {
  test('sends the form in a list, to the region `global`, with a token', async () => {
    await adapter.submit({ durationSeconds: 8, resolution: '4K', aspectRatio: '9:16', generateAudio: true });
    expect(vendor().videos.list().at(-1)?.body).toEqual({
      model,
      input: [{ type: 'user_input', content: [{ type: 'text', text: 'A lighthouse' }] }],
      background: true,
      response_format: [{ type: 'video', duration: '8s', resolution: '4k', aspect_ratio: '9:16' }],
      generation_config: { video_config: { task: 'text_to_video' } },
    });
  });

  describeLacks(adapter, [['a seed', { seed: 7 }]]);
});

test('an interaction on Vertex AI holds its video in base64, and the tokens that are billed', async () => {
  const base64 = Buffer.from(MP4.toString('base64'));
  vendor().videos.answerWith((made) => inlineReply(made, [base64]));
  const operation = await adapter.submit();
  const { body } = await adapter.open(operation);
  expect(Buffer.concat(await body.toArray())).toEqual(MP4);
  const report = { video_tokens: '57920', audio_tokens: '0', input_tokens: '21', text_tokens: '412' };
  expect(await adapter.ended(operation)).toMatchObject({ state: 'completed', report });
});

test('an interaction without a video fails, as when its answer lacks the outputs', async () => {
  vendor().videos.answerWith((made) => jsonReply(200, { ...made, steps: [] }));
  expect(await adapter.ended(await adapter.submit())).toMatchObject({
    state: 'failed',
    vendorStatus: 'no_video',
  });
});
