/** Starts the gateway that a benchmark measures, in a process of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '../dev/ports.ts';
import { API_FLAGS, ROOT, WORKER_ENV, WORKER_FLAGS } from '../dev/settings.ts';
import { type Gateway, startGateway } from '../test/support/gateway.ts';
import { sharedWorkflowBundle } from '../test/support/workflow-bundle.ts';

const UPSTREAM_KEY = 'bench-key';
const COMPILE = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'];

/** The API and the local upstream in separate processes, as in production. */
export interface MeasuredGateway extends Pick<
  Gateway,
  'organizationId' | 'workspaceId' | 'apiKey' | 'managementKey' | 'database' | 'config' | 'temporal'
> {
  origin: string;
  databaseUrl: string;
  /** The pid of the API's process. */
  pid: number;
  upstream: { baseUrl: string; apiKey: string };
  /**
   * Starts a worker in a separate process, which ends with the gateway. Returns its pid. `bundled`: it uses workflows
   * bundled in advance, as in a build, and saves the memory of bundling.
   */
  startWorker(options?: { bundled?: boolean }): number;
  close(): Promise<void>;
}

export interface MeasuredGatewayOptions {
  /** True: the compiled API of `npm run build`. */
  compiled?: boolean;
  /** Further environment variables of the API. */
  env?: Record<string, string>;
  /** The entitlements of the organization. */
  entitlements?: string[];
}

export async function startMeasuredGateway({
  compiled = false,
  env: more = {},
  entitlements = [],
}: MeasuredGatewayOptions = {}): Promise<MeasuredGateway> {
  if (compiled) execFileSync(process.execPath, COMPILE, { cwd: ROOT, stdio: 'inherit' });
  const [apiPort = 0, upstreamPort = 0] = await findFreePorts(2);
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`;
  const upstream = spawnScript('../upstream/main.ts', [], {
    env: { UPSTREAM_PORT: String(upstreamPort), PROVIDER_LOCAL_API_KEY: UPSTREAM_KEY, LOG_LEVEL: 'warn' },
  });
  // The benchmark uses the database and account of this gateway, not its API and upstream.
  const gateway = await startGateway({
    env: { PROVIDER_LOCAL_BASE_URL: baseUrl, PROVIDER_LOCAL_API_KEY: UPSTREAM_KEY, ...more },
    bootstrap: { entitlements },
  });
  const log = openSync(path.join(gateway.objectsFolder, 'api.log'), 'w');
  const env = { ...gateway.env, ...more, LOG_LEVEL: 'info', PORT: String(apiPort) };
  const api = spawnScript(compiled ? '../dist/api/main.js' : '../api/main.ts', [], {
    env,
    output: log,
    flags: API_FLAGS,
  });
  const origin = `http://127.0.0.1:${apiPort}`;
  for (const url of [`http://127.0.0.1:${upstreamPort}/healthz`, `${origin}/healthz`]) await answers(url);
  const children = [api, upstream];
  return {
    organizationId: gateway.organizationId,
    workspaceId: gateway.workspaceId,
    apiKey: gateway.apiKey,
    managementKey: gateway.managementKey,
    config: gateway.config,
    databaseUrl: gateway.config.database.url,
    database: gateway.database,
    temporal: gateway.temporal,
    origin,
    pid: api.pid!,
    upstream: { baseUrl, apiKey: UPSTREAM_KEY },
    startWorker({ bundled = false } = {}) {
      const output = openSync(path.join(gateway.objectsFolder, 'worker.log'), 'w');
      const options = { env: { ...gateway.env, ...more, ...WORKER_ENV }, output, flags: WORKER_FLAGS };
      const worker =
        bundled && sharedWorkflowBundle !== undefined
          ? spawnScript('../test/support/worker-child.ts', ['[]', '{}', sharedWorkflowBundle], options)
          : spawnScript('../worker/main.ts', [], options);
      children.unshift(worker);
      return worker.pid!;
    },
    async close() {
      for (const child of children) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await gateway.close();
    },
  };
}

export interface SpawnOptions {
  env?: Record<string, string>;
  output?: number | 'pipe' | 'ignore';
  /** Flags of the Node runtime. */
  flags?: string[];
}

/** Runs a script below `bench/` on this process's runtime. It ends with this process. */
export function spawnScript(script: string, args: string[], options: SpawnOptions = {}): ChildProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', ...(options.flags ?? []), file, ...args], {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', options.output ?? 'ignore', 'inherit'],
  });
  // Covers failures of this process, after which the child is not closed.
  const kill = (): void => void child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** Returns a request as bytes, for clients that use almost no processor time. */
export function rawRequest(target: string, apiKey: string, body: object): Buffer {
  const text = JSON.stringify(body);
  const head = [
    `POST ${target} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    `authorization: Bearer ${apiKey}`,
    `content-length: ${Buffer.byteLength(text)}`,
  ].join('\r\n');
  return Buffer.from(`${head}\r\n\r\n${text}`);
}

async function answers(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
