/** Describes how the laptop stack starts the API, the worker and the local upstream. */
import path from 'node:path';
import type { ChildOptions } from '../processes/child.ts';
import { API_FLAGS, ROOT, WORKER_ENV, WORKER_FLAGS } from '../settings.ts';

/** The laptop's processes of Sluice. */
export type SluiceProcess = 'upstream' | 'worker' | 'api';

interface Start {
  name: string;
  entry: string;
  flags?: string[];
  ownEnv?: NodeJS.ProcessEnv;
}

const PROCESSES: Record<SluiceProcess, Start> = {
  upstream: { name: 'the local upstream', entry: 'upstream/main.ts' },
  worker: { name: 'the worker', entry: 'worker/main.ts', flags: WORKER_FLAGS, ownEnv: WORKER_ENV },
  api: { name: 'the API', entry: 'api/main.ts', flags: API_FLAGS },
};

/** Returns the options of a process. `args` are its arguments after its script. */
export function sluiceProcess(
  which: SluiceProcess,
  dataDir: string,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): ChildOptions {
  const { name, entry, flags = [], ownEnv } = PROCESSES[which];
  return {
    name,
    command: process.execPath,
    args: [...flags, path.join(ROOT, entry), ...args],
    cwd: ROOT,
    env: { ...env, ...ownEnv },
    logFile: path.join(dataDir, 'logs', `${which}.log`),
  };
}
