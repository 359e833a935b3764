/** Writes the workflow bundle that production workers load, so that they start without a bundler. */
import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { WORKFLOWS_PATH } from './create-workers.ts';

const [target = 'dist/workflow-bundle.js'] = process.argv.slice(2);
const { code } = await bundleWorkflowCode({
  workflowsPath: WORKFLOWS_PATH,
  logger: new DefaultLogger('WARN'),
});
await writeFile(target, code);
