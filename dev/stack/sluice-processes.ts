import path from 'node:path';
import type { ChildOptions } from '../processes/child.ts';
import { ROOT } from '../settings.ts';

/** Sluice's own processes on a laptop. */
export type SluiceProcess = 'upstream' | 'worker' | 'api';

const PROCESSES: Record<SluiceProcess, { name: string; entry: string }> = {
  upstream: { name: 'the local upstream', entry: 'providers/local/main.ts' },
  worker: { name: 'the worker', entry: 'worker/main.ts' },
  api: { name: 'the API', entry: 'api/main.ts' },
};

export function sluiceProcess(which: SluiceProcess, dataDir: string, env: NodeJS.ProcessEnv): ChildOptions {
  const { name, entry } = PROCESSES[which];
  return {
    name,
    command: process.execPath,
    args: ['--enable-source-maps', path.join(ROOT, entry)],
    cwd: ROOT,
    env,
    logFile: path.join(dataDir, 'logs', `${which}.log`),
  };
}
