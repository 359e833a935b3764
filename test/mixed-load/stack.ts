import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../../admin/bootstrap.ts';
import { runMigrate } from '../../admin/run-migrate.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { processIdentity } from '../../dev/processes/process-identity.ts';
import { isRunning, type ProcessRef } from '../../dev/processes/stop-process.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { sharedWorkflowBundle } from '../support/workflow-bundle.ts';
import { type KeptProcess, keepRunning } from './kept-process.ts';
import { API_PROCESSES, WORKERS } from './schedule.ts';

/** The product in processes of its own, and the ways to disturb it. */
export interface Stack {
  origin: string;
  apiKey: string;
  /** The Postgres of the stack, past the proxy. */
  databaseUrl: string;
  /** Gives the upstream its models and the stack its settings. Its own API serves nobody here. */
  gateway: Gateway;
  api: KeptProcess;
  /** Signals the newest API process with this number, unless it is gone. */
  signalApiProcess(index: number, name: NodeJS.Signals): void;
  workers: KeptProcess[];
  postgres: OwnPostgres;
  wayToPostgres: TcpProxy;
  wayToTemporal: TcpProxy;
  /** Returns how many files of generations still wait to be recorded. */
  spooledFiles(): Promise<number>;
  close(): Promise<void>;
}

type Env = Record<string, string>;
type Say = (text: string) => void;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** `say` is called when a process of the product ends by itself, which it may do while it cannot reach a server. */
export async function startStack(say: Say): Promise<Stack> {
  const [postgres, gateway, spool, [port = 0]] = await Promise.all([
    startOwnPostgres(),
    startGateway(),
    mkdtemp(path.join(tmpdir(), 'sluice-spool-')),
    findFreePorts(1),
  ]);
  await runMigrate(postgres.url);
  const { apiKey } = await bootstrap(postgres.url, gateway.config.encryption, {
    organizationName: 'Mixed load',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  });
  const wayToPostgres = await startTcpProxy(postgres.url);
  const wayToTemporal = await startTcpProxy(`http://${gateway.env['TEMPORAL_ADDRESS']}`);
  const env = {
    ...gateway.env,
    LOG_LEVEL: 'info',
    PORT: `${port}`,
    API_PROCESSES: `${API_PROCESSES}`,
    DATABASE_URL: wayToPostgres.through(postgres.url),
    TEMPORAL_ADDRESS: new URL(wayToTemporal.through('http://temporal')).host,
    SPOOL_DIR: spool,
    WEBHOOK_SCHEDULE_SECONDS: '0,1,1,1,1,1,1,1',
  };
  const api = keepApi(env, say);
  const workers = keepWorkers(env, say);
  return {
    origin: `http://127.0.0.1:${port}`,
    apiKey,
    databaseUrl: postgres.url,
    gateway,
    ...api,
    workers,
    postgres,
    wayToPostgres,
    wayToTemporal,
    spooledFiles: async () => (await readdir(spool)).length,
    async close() {
      await Promise.all([api.api, ...workers].map((kept) => kept.stop()));
      await Promise.all([wayToPostgres.close(), wayToTemporal.close()]);
      await gateway.close();
      await postgres.close();
      await rm(spool, { recursive: true, force: true });
    },
  };
}

function keepApi(env: Env, say: Say): Pick<Stack, 'api' | 'signalApiProcess'> {
  const children = new Map<number, ProcessRef>();
  const noteListening = (line: string): void => {
    const { msg, child, pid } = JSON.parse(line) as { msg: string; child?: number; pid: number };
    if (msg !== 'the API is listening' || child === undefined) return;
    children.set(child, { pid, identity: processIdentity(pid) ?? 'ended' });
  };
  return {
    api: keepRunning([path.join(ROOT, 'api/main.ts')], env, {
      onLine: noteListening,
      onOwnEnd: (error) => say(`the API ended by itself and is started again: ${error}`),
    }),
    signalApiProcess(index, name) {
      const child = children.get(index);
      if (child !== undefined && isRunning(child)) process.kill(child.pid, name);
    },
  };
}

function keepWorkers(env: Env, say: Say): KeptProcess[] {
  const bundle = sharedWorkflowBundle === undefined ? [] : [sharedWorkflowBundle];
  const script = path.join(ROOT, 'test/support/worker-child.ts');
  const args = [script, '[]', JSON.stringify({ sweepIntervalMs: 1_000 }), ...bundle];
  return Array.from({ length: WORKERS }, (_, n) =>
    keepRunning(args, env, {
      onOwnEnd: (error) => say(`worker ${n + 1} ended by itself and is started again: ${error}`),
    }),
  );
}
