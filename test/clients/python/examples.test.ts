import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { recordYesterday } from '../../support/analytics.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../../support/gateway.ts';
import { expectMp4, runExample } from '../../support/run-example.ts';
import { pythonOf } from './run-script.ts';

/** Every example that this suite runs, by its folder. */
const RUN = {
  'openai-python': ['chat.py', 'stream.py'],
  'openrouter-python': ['analytics.py', 'chat.py', 'stream.py', 'video_with_webhook.py'],
};
const EXAMPLES = path.join(import.meta.dirname, '..', '..', '..', 'examples');

let gateway: Gateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ worker: ALL_QUEUES });
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-examples-'));
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

function run(name: string, env: Record<string, string> = {}): Promise<string> {
  return runExample(gateway, [pythonOf('newest'), name], env);
}

describe.each(Object.entries(RUN))('the folder examples/%s', (name, files) => {
  test('contains exactly the examples that this suite runs', () => {
    const found = readdirSync(path.join(EXAMPLES, name));
    expect(found.sort()).toEqual(files);
  });

  test('chat.py prints the answer', async () => {
    expect(await run(`${name}/chat.py`)).toBe('You said: Hello there\n');
  });

  test('stream.py prints the answer and its tokens', async () => {
    expect(await run(`${name}/stream.py`)).toMatch(/^You said: Hello there\n\d+ tokens\n$/);
  });
});

test('openrouter-python/video_with_webhook.py verifies the webhook and saves the video', async () => {
  const file = path.join(folder, 'video.mp4');
  const printed = await run('openrouter-python/video_with_webhook.py', { OUTPUT: file });
  expect(printed).toMatch(/^submitted gen-vid-\S+\nvideo\.generation\.completed, signature verified\nsaved /);
  await expectMp4(file);
});

test('openrouter-python/analytics.py counts the requests of a model on a completed day', async () => {
  const day = await recordYesterday(gateway);
  expect(await run('openrouter-python/analytics.py')).toBe(`${day} local/echo-1: 1\n`);
});
