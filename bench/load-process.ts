/** Runs a load client in its own process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load } from './load.ts';

/** A load client in a separate process, for benchmarks whose own process is busy. */
export interface LoadProcess {
  /** Runs a load like `requestsPerSecond`. */
  send(load: Load): Promise<number>;
  close(): void;
}

/** Starts the process. Resolves when it is ready, so that its start is not measured. */
export async function startLoadProcess(): Promise<LoadProcess> {
  const child = fork(fileURLToPath(new URL('load-client.ts', import.meta.url)), {
    execArgv: ['--no-warnings'],
  });
  await answer(child);
  return {
    async send(load) {
      child.send(load);
      return Number(await answer(child));
    },
    close: () => void child.kill(),
  };
}

/** Returns the child's next message. Throws if it exited instead because of an unexpected answer. */
async function answer(child: ChildProcess): Promise<unknown> {
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the load client died')));
  const [word] = (await Promise.race([once(child, 'message'), died])) as unknown[];
  return word;
}
