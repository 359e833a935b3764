import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../examples/verify-webhook/verify-webhook.ts';
import { recordYesterday } from '../support/analytics.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { expectMp4, runExample } from '../support/run-example.ts';

const NODE = process.execPath;
const ANSWER = 'You said: Hello there';

/** Every example that this suite runs, by its folder. */
const RUN = {
  anthropic: ['chat.ts', 'stream.ts'],
  fetch: ['analytics.ts', 'video-with-webhook.ts'],
  curl: ['analytics.sh', 'chat.sh', 'stream.sh', 'video.sh'],
  openai: ['chat.ts', 'stream.ts'],
  openrouter: ['analytics.ts', 'chat.ts', 'stream.ts', 'video-with-webhook.ts'],
};

let gateway: Gateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ worker: ['video', 'webhooks'] });
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-examples-'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(Object.entries(RUN))('this suite runs every example for %s', (name, files) => {
  expect(readdirSync(path.join(import.meta.dirname, '..', '..', 'examples', name)).sort()).toEqual(files);
});

describe.each(['openai', 'anthropic', 'openrouter'])('the example for %s', (name) => {
  test('prints the answer from chat.ts', async () => {
    expect(await runExample(gateway, [NODE, `${name}/chat.ts`])).toBe(`${ANSWER}\n`);
  });
});

test.each(['openai', 'anthropic', 'openrouter'])(
  '%s/stream.ts prints the answer and its tokens',
  async (name) => {
    expect(await runExample(gateway, [NODE, `${name}/stream.ts`])).toMatch(
      /^You said: Hello there\n\d+ tokens\n$/,
    );
  },
);

test.each(['openrouter', 'fetch'])(
  '%s/video-with-webhook.ts verifies the webhook and saves the video',
  async (name) => {
    const file = path.join(folder, `${name}.mp4`);
    const printed = await runExample(gateway, [NODE, `${name}/video-with-webhook.ts`], { OUTPUT: file });
    expect(printed).toMatch(
      /^submitted gen-vid-\S+\nvideo\.generation\.completed, signature verified\nsaved /,
    );
    await expectMp4(file);
  },
);

test('fetch/analytics.ts counts the requests of a model', async () => {
  await runExample(gateway, [NODE, 'openai/chat.ts']);
  expect(await runExample(gateway, [NODE, 'fetch/analytics.ts'])).toMatch(/^local\/echo-1: \d+$/m);
});

test('openrouter/analytics.ts counts the requests of a model on a completed day', async () => {
  const day = await recordYesterday(gateway);
  expect(await runExample(gateway, [NODE, 'openrouter/analytics.ts'])).toBe(`${day} local/echo-1: 1\n`);
});

test('curl/chat.sh prints the whole answer', async () => {
  const answer: unknown = JSON.parse(await runExample(gateway, ['sh', 'curl/chat.sh']));
  expect(answer).toMatchObject({
    choices: [{ message: { content: ANSWER } }],
    usage: { cost: expect.any(Number) },
  });
});

test('curl/stream.sh prints events until the end', async () => {
  const events = await runExample(gateway, ['sh', 'curl/stream.sh']);
  expect(events).toContain('"usage"');
  expect(events.trimEnd()).toMatch(/data: \[DONE\]$/);
});

test('curl/video.sh saves the video', async () => {
  const file = path.join(folder, 'curl.mp4');
  const printed = await runExample(gateway, ['sh', 'curl/video.sh'], { OUTPUT: file });
  expect(printed).toMatch(/^submitted gen-vid-\S+\n(?:\w+\n)*completed\nsaved /);
  await expectMp4(file);
});

test('curl/video.sh with a URL sends a signed webhook to that URL', async () => {
  const receiver = await startReceiver();
  try {
    const printed = await runExample(gateway, ['sh', 'curl/video.sh', receiver.url], {
      OUTPUT: path.join(folder, 'curl-with-webhook.mp4'),
    });
    const [, id] = /^submitted (\S+)/.exec(printed) ?? [];
    const [webhook] = await receiver.next(1);
    expect(verifyWebhook({ secret: gateway.webhookSecret, ...webhook! })).toBe(true);
    expect(JSON.parse(webhook!.body)).toMatchObject({ type: 'video.generation.completed', data: { id } });
  } finally {
    await receiver.close();
  }
});

test('curl/analytics.sh prints one row per model', async () => {
  await runExample(gateway, ['sh', 'curl/chat.sh']);
  const answer: unknown = JSON.parse(await runExample(gateway, ['sh', 'curl/analytics.sh']));
  expect(answer).toMatchObject({
    data: { data: expect.arrayContaining([expect.objectContaining({ model: 'local/echo-1' })]) },
  });
});
