import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { createLogger } from '../../platform/logger.ts';
import { WORKFLOWS_PATH } from '../../worker/create-workers.ts';
import { installRuntime } from '../../worker/install-runtime.ts';

const FOLDER = new URL('../histories/', import.meta.url);
installRuntime(createLogger({ level: 'fatal', name: 'test' }));
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** A change to a workflow that may be running must be able to continue every run that was ever recorded. */
describe('recorded histories', () => {
  let workflowBundle: { code: string };

  beforeAll(async () => {
    workflowBundle = await bundleWorkflowCode({
      workflowsPath: WORKFLOWS_PATH,
      logger: new DefaultLogger('ERROR'),
    });
  }, 60_000);

  test('there are some', () => {
    expect(files.length).toBeGreaterThanOrEqual(5);
  });

  test.each(files)('%s is replayed by the present workflows', async (file) => {
    const history = historyFromJSON(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')));
    await Worker.runReplayHistory({ workflowBundle, replayName: file }, history);
  });

  test.each(files)('%s is short, and holds nothing but ids and small facts', (file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    const { events } = JSON.parse(text) as { events: unknown[] };
    expect(events.length).toBeLessThanOrEqual(file.includes('cancelled') ? 50 : 40);
    const decoded = text.replaceAll(/"data": "([^"]*)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString('utf8'),
    );
    expect(decoded).not.toMatch(/a test|https?:\/\/|whsec_|sk-slc-|Bearer|node_modules/);
  });
});
