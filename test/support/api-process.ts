import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Gateway } from './gateway.ts';

export interface ApiProcess {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  /** SIGKILL: nothing is drained, closed or said. */
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

/** `npm run api` in a process of its own, beside the gateway's API and on the same database. */
export async function startApiProcess(
  gateway: Gateway,
  env: Record<string, string> = {},
): Promise<ApiProcess> {
  const child = spawn(process.execPath, ['--no-warnings', MAIN], {
    env: { ...gateway.env, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    lines.on('line', (line) => {
      const said = JSON.parse(line) as { msg: string; port?: number };
      if (said.port !== undefined) resolve(said.port);
    });
    child.once('exit', () => reject(new Error('the API ended before it listened')));
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
