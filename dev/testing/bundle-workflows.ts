import path from 'node:path';
import type { Supervisor } from '../processes/supervisor.ts';
import { ROOT } from '../settings.ts';

/**
 * Bundles the workflows into a file of the folder, for all workers of a run; returns its path. The bundler runs in a
 * separate process, because it would keep hundreds of megabytes in this one.
 */
export async function bundleWorkflows(dataDir: string, supervisor: Supervisor): Promise<string> {
  const file = path.join(dataDir, 'workflow-bundle.js');
  await supervisor.run({
    name: 'the workflow bundler',
    command: process.execPath,
    args: [path.join(ROOT, 'worker', 'build-bundle.ts'), file],
    cwd: ROOT,
    logFile: path.join(dataDir, 'logs', 'workflow-bundle.log'),
  });
  return file;
}
