import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compiledCode } from './compiled-code.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import { limitDescriptors } from './limit-descriptors.ts';

export interface ApiProcess {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  pid: number;
  /** What it has logged so far; of an API of several processes, what all of them have. */
  log: LogLine[];
  exited: Promise<{ code: number | null; signal: string | null }>;
  signal(signal: 'SIGTERM' | 'SIGHUP'): void;
  /** SIGKILL: nothing is drained, closed or said. */
  kill(): Promise<void>;
}

export interface LogLine {
  msg: string;
  pid: number;
  child?: number;
  status?: number;
  port?: number;
}

interface ProcessLimits {
  descriptors?: number | undefined;
  flags?: string[];
}

const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

/**
 * `npm run api` in a process of its own, beside the gateway's API and on the same database. `descriptors` lowers the
 * limit of its open files, and `flags` are those of the Node runtime.
 */
export async function startApiProcess(
  gateway: Gateway,
  env: Record<string, string> = {},
  limits: ProcessLimits = {},
): Promise<ApiProcess> {
  const child = spawnApi(gateway, env, limits);
  const log: LogLine[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => log.push(JSON.parse(line) as LogLine));
  const exited: ApiProcess['exited'] = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const port = await eventually('the API that listens', async () => {
    if (child.exitCode !== null) throw new Error('the API ended before it listened');
    return log.find((line) => line.port !== undefined)?.port;
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    log,
    exited,
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Resolves with what an API that refuses to start says, and its exit code. */
export async function startRefused(
  gateway: Gateway,
  env: Record<string, string>,
): Promise<{ code: number | null; said: string }> {
  const child = spawnApi(gateway, env, { stderr: 'pipe' });
  let said = '';
  for (const output of [child.stdout!, child.stderr!])
    output.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  return { code, said };
}

function spawnApi(
  gateway: Gateway,
  env: Record<string, string>,
  { descriptors, flags = [], stderr = 'inherit' }: ProcessLimits & { stderr?: 'inherit' | 'pipe' },
): ChildProcess {
  const command = [process.execPath, '--no-warnings', ...flags, MAIN];
  const limited = descriptors === undefined ? command : limitDescriptors(command, descriptors);
  return spawn(limited[0]!, limited.slice(1), {
    env: { ...compiledCode, ...gateway.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
}
