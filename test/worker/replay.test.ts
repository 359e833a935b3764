import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { ensureRuntime } from '../support/runtime.ts';
import { sharedWorkflowBundle } from '../support/workflow-bundle.ts';

const FOLDER = new URL('../histories/', import.meta.url);
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.json'),
);

beforeAll(() => ensureRuntime());

function read(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}

/** Rejects when the present code would have done something else. */
function replay(file: string, text: string): Promise<void> {
  const workflowBundle = { codePath: sharedWorkflowBundle! };
  return Worker.runReplayHistory({ workflowBundle, replayName: file }, historyFromJSON(JSON.parse(text)));
}

/** A change to a workflow that may be running must be able to continue every run that was ever recorded. */
describe('recorded histories', () => {
  test('number at least nine', () => {
    expect(files.length).toBeGreaterThanOrEqual(9);
  });

  test.each(files)('%s replays with the present workflows', async (file) => {
    await replay(file, read(file));
  });

  test.each(files)('%s has 50 events at most and contains no prompt, URL or credential', (file) => {
    const text = read(file);
    const { events } = JSON.parse(text) as { events: unknown[] };
    expect(events.length).toBeLessThanOrEqual(/cancelled|called-back/.test(file) ? 50 : 40);
    const decoded = text.replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString('utf8'),
    );
    expect(decoded).not.toMatch(/a test|https?:\/\/|whsec_|sk-slc-|Bearer|node_modules/);
    // Whoever recorded it is nobody's business either.
    expect(decoded).not.toMatch(/\d+@/);
  });

  test('cause a nondeterminism error when an activity has another name', async () => {
    const file = files.find((name) => name.endsWith('video-completed.json'))!;
    const altered = read(file).replaceAll('storeVideoOutputs', 'somethingElse');
    await expect(replay(file, altered)).rejects.toThrow('Nondeterminism');
  });
});
