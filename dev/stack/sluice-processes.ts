/** Describes how the laptop stack starts the API, the worker and the local upstream. */
import path from 'node:path';
import type { ChildOptions } from '../processes/child.ts';
import { API_FLAGS, ROOT } from '../settings.ts';

/** The laptop's processes of Sluice. */
export type SluiceProcess = 'upstream' | 'worker' | 'api';

const PROCESSES: Record<SluiceProcess, { name: string; entry: string; flags?: string[] }> = {
  upstream: { name: 'the local upstream', entry: 'providers/local/main.ts' },
  worker: { name: 'the worker', entry: 'worker/main.ts' },
  api: { name: 'the API', entry: 'api/main.ts', flags: API_FLAGS },
};

export function sluiceProcess(which: SluiceProcess, dataDir: string, env: NodeJS.ProcessEnv): ChildOptions {
  const { name, entry, flags = [] } = PROCESSES[which];
  return {
    name,
    command: process.execPath,
    args: [...flags, '--enable-source-maps', path.join(ROOT, entry)],
    cwd: ROOT,
    env,
    logFile: path.join(dataDir, 'logs', `${which}.log`),
  };
}
