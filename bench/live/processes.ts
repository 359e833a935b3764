/** Starts the reference servers of benchmarks in processes of their own. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { spawnScript } from '../gateway-process.ts';

/** A server of a benchmark in a separate process. */
export interface ServerProcess {
  /** The origin that it printed once it listened. */
  origin: string;
  pid: number;
  close(): Promise<void>;
}

/** Starts `script`, below `bench/`, which prints its origin as its first line. */
export async function startServer(script: string, args: string[] = []): Promise<ServerProcess> {
  const child = spawnScript(script, args, { output: 'pipe' });
  const [origin] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return {
    origin,
    pid: child.pid!,
    async close() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Starts the bare proxy for this upstream. */
export function startBareProxy({
  baseUrl,
  apiKey,
}: {
  baseUrl: string;
  apiKey: string;
}): Promise<ServerProcess> {
  return startServer('live/bare-proxy.ts', [baseUrl, apiKey]);
}
