import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A process that is started again whenever it ends, as an orchestrator of containers does. */
export interface KeptProcess {
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills it by SIGKILL, and starts it again after that time. */
  kill(downMs: number): void;
  stop(): Promise<void>;
}

const RESTART_AFTER_MS = 500;

export interface Reports {
  onLine?(line: string): void;
  /** Called with the error when the process ends without having been killed. */
  onOwnEnd(error: string): void;
}

/** Starts Node with the arguments. */
export function keepRunning(
  args: string[],
  env: Record<string, string>,
  { onLine, onOwnEnd }: Reports,
): KeptProcess {
  let isStopping = false;
  let downMs = RESTART_AFTER_MS;
  let restart: NodeJS.Timeout | undefined;
  let child: ChildProcess;
  let exited: Promise<unknown>;

  const start = (): void => {
    downMs = RESTART_AFTER_MS;
    child = spawn(process.execPath, ['--no-warnings', ...args], {
      env,
      // A worker of the tests ends when the channel closes, so it does not outlive this process.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    createInterface({ input: child.stdout! }).on('line', (line) => onLine?.(line));
    let error = 'no reason given';
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (/^\w*Error\b/.test(line)) error = line;
    });
    exited = new Promise<void>((resolve) => {
      child.once('close', (_code, signal) => {
        if (signal !== 'SIGKILL') onOwnEnd(error);
        if (!isStopping) restart = setTimeout(start, downMs);
        resolve();
      });
    });
  };
  start();
  return {
    signal: (name) => void child.kill(name),
    kill(ms) {
      downMs = ms;
      child.kill('SIGKILL');
    },
    async stop() {
      isStopping = true;
      clearTimeout(restart);
      child.kill('SIGKILL');
      await exited;
    },
  };
}
