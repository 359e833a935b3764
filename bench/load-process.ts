import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load } from './load.ts';

/** A client in a process of its own, for a benchmark whose own process has more to do than to send. */
export interface LoadProcess {
  /** As `requestsPerSecond`. */
  send(load: Load): Promise<number>;
  close(): void;
}

/** Resolves when the process is ready, so that its start is in no measure. */
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

/** The child's next word. Throws when it died instead, of an answer that was not expected. */
async function answer(child: ChildProcess): Promise<unknown> {
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the load client died')));
  const [word] = (await Promise.race([once(child, 'message'), died])) as unknown[];
  return word;
}
