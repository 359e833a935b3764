import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@temporalio/client';
import type { WorkerInterceptors } from '@temporalio/worker';
import pg from 'pg';
import { bootstrap } from '../../admin/bootstrap.ts';
import type { FirstKeys } from '../../admin/create-organization.ts';
import type { ApiTimes } from '../../api/api-times.ts';
import { startApi } from '../../api/start-api.ts';
import { QUEUES, type QueueName, SCHEDULES } from '../../domain/runs.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import type { ShutdownStep } from '../../platform/shutdown.ts';
import { createUpstream, type Upstream } from '../../upstream/create-upstream.ts';
import { startWorker } from '../../worker/start-worker.ts';
import type { WorkerTimes } from '../../worker/worker-times.ts';
import { createMigratedDatabase } from './database.ts';
import { ensureRuntime } from './runtime.ts';
import { createTestNamespace, type TestNamespace } from './temporal.ts';
import { sharedWorkflowBundle } from './workflow-bundle.ts';

export interface GatewayOptions {
  /** Over the defaults of the tests, which keep waits at a second. */
  env?: Record<string, string>;
  /** The way to Postgres that the product takes; the tests' own pool always takes the direct one. */
  databaseUrl?: (direct: string) => string;
  /** A namespace of a server of its own, in place of a new one on the server of all tests. */
  namespace?: TestNamespace;
  /**
   * The queues that a worker in this process serves; each takes about a third of a second of processor time to start.
   * When absent, jobs are accepted and started, and nobody works on them.
   */
  worker?: readonly QueueName[];
  /** False: the namespace knows no search attributes until a worker registers them. */
  searchAttributes?: boolean;
  interceptors?: WorkerInterceptors;
  /** What API, worker and SDK log to; only the fatal is shown when absent. */
  logger?: Logger;
  /** In place of the product's own, in its API and its workers. */
  times?: GatewayTimes;
  bootstrap?: Partial<Parameters<typeof bootstrap>[2]>;
}

/** For suites whose runs need every queue, and the schedules of maintenance. */
export const ALL_QUEUES = Object.keys(QUEUES) as QueueName[];

export type GatewayTimes = Partial<ApiTimes & WorkerTimes>;

/** The whole product in this process: real Postgres, real Temporal, the local upstream over HTTP. */
export interface Gateway extends FirstKeys {
  /** `http://127.0.0.1:<port>`. */
  origin: string;
  config: Config;
  /** What `config` was read from, for processes of their own. */
  env: Record<string, string>;
  /** For processes of their own, too. */
  times: GatewayTimes;
  database: pg.Pool;
  temporal: Client;
  upstream: Upstream;
  objectsFolder: string;
  /** A request with the regular key, unless the headers say otherwise. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>;
  startWorker(interceptors?: WorkerInterceptors): Promise<void>;
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

const UPSTREAM_KEY = 'upstream-key';

const quietLogger = createLogger({ level: 'fatal', name: 'test' });

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { logger = quietLogger } = options;
  // Schedules keep to the clock: at any shorter interval some run of the tests meets one.
  const times = { expireIntervalMs: 86_400_000, ...options.times };
  const [testDatabase, namespace, folder] = await Promise.all([
    createMigratedDatabase(),
    options.namespace ?? createTestNamespace({ searchAttributes: options.searchAttributes !== false }),
    mkdtemp(path.join(tmpdir(), 'sluice-objects-')),
  ]);
  const upstream = createUpstream({ apiKey: UPSTREAM_KEY });
  const { baseUrl } = await upstream.listen(0);
  const env = {
    ...environmentOf(testDatabase.url, namespace, folder, baseUrl),
    ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl(testDatabase.url) }),
    ...options.env,
  };
  const config = loadConfig(env);
  const account = await bootstrap(testDatabase.url, config.encryption, {
    organizationName: 'Test',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
    ...options.bootstrap,
  });
  const api = await startApi(config, logger, { times });
  const origin = `http://127.0.0.1:${api.port}`;
  const database = new pg.Pool({ connectionString: testDatabase.url, max: 3 });
  // Dropping the database may overtake the end of a connection, which then hears of it.
  database.on('error', () => {});
  const worker = workerSwitch(config, logger, times, options.worker ?? config.worker.queues);
  const temporal = new Client({ connection: namespace.connection, namespace: namespace.namespace });
  if (options.worker !== undefined) await worker.start(options.interceptors);

  return {
    ...account,
    origin,
    config,
    env,
    times,
    database,
    upstream,
    objectsFolder: folder,
    temporal,
    call: (method, target, callOptions) => call(origin, account.apiKey, method, target, callOptions),
    startWorker: worker.start,
    stopWorker: worker.stop,
    async close() {
      await worker.stop();
      if (worker.hasStarted()) await removeSchedules(temporal);
      await runSteps(api.shutdownSteps);
      await database.end();
      await upstream.close();
      await namespace.close();
      await testDatabase.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the defaults of the tests, which keep waits at a second. */
function environmentOf(
  databaseUrl: string,
  namespace: TestNamespace,
  objectsFolder: string,
  upstreamUrl: string,
): Record<string, string> {
  return {
    SLUICE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: 'https://gateway.example',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: namespace.address,
    TEMPORAL_NAMESPACE: namespace.namespace,
    OBJECT_STORE: pathToFileURL(objectsFolder).href,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    PROVIDER_LOCAL_BASE_URL: upstreamUrl,
    PROVIDER_LOCAL_API_KEY: UPSTREAM_KEY,
    JOB_POLL_FLOOR: '1s',
    JOB_POLL_CEILING: '1s',
    WORKER_SHUTDOWN_GRACE: '2s',
    WEBHOOK_SCHEDULE_SECONDS: '0,1,1',
  };
}

/** `queues` are those that it serves. */
function workerSwitch(config: Config, logger: Logger, times: GatewayTimes, queues: readonly QueueName[]) {
  const served = { ...config, worker: { ...config.worker, queues: [...queues] } };
  let stop = async (): Promise<void> => {};
  let hasStarted = false;
  return {
    hasStarted: () => hasStarted,
    async start(interceptors?: WorkerInterceptors): Promise<void> {
      hasStarted = true;
      ensureRuntime(logger);
      const bundlePath = sharedWorkflowBundle;
      const started = await startWorker(served, logger, { interceptors, bundlePath, times });
      stop = () => runSteps(started.shutdownSteps);
    },
    async stop(): Promise<void> {
      const running = stop;
      stop = async () => {};
      await running();
    },
  };
}

/** The namespace outlives the suite, and its schedules would fire for as long as the server lives. */
async function removeSchedules(temporal: Client): Promise<void> {
  for (const id of Object.values(SCHEDULES)) {
    await temporal.schedule
      .getHandle(id)
      .delete()
      .catch(() => undefined);
  }
}

async function runSteps(steps: ShutdownStep[]): Promise<void> {
  for (const { run } of steps) await run();
}

function call(
  origin: string,
  apiKey: string,
  method: string,
  target: string,
  { body, headers = {} }: CallOptions = {},
): Promise<Response> {
  return fetch(`${origin}${target.startsWith('/api/') ? '' : '/api/v1'}${target}`, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}
