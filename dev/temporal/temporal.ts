/** Starts a Temporal dev server, on a file or in memory, and waits until it answers. */
import path from 'node:path';
import type { TemporalConfig } from '../../platform/temporal.ts';
import { connectTemporal } from '../../platform/temporal.ts';
import { HOST } from '../settings.ts';
import { StackError } from '../stack-error.ts';
import type { Supervisor } from '../processes/supervisor.ts';
import { waitUntil } from '../wait-until.ts';

export interface TemporalOptions {
  supervisor: Supervisor;
  /** A CLI from `findTemporalCli`. */
  cli: string;
  dataDir: string;
  port: number;
  /** Absent: no Web UI. */
  uiPort?: number;
  /** False: data is in memory, and lost at the stop. */
  durable: boolean;
}

/**
 * The settings with which the server shares its queues between organizations (ADR 0075). docs/ops/temporal.yaml has
 * the same for servers in production.
 */
export const SHARED_QUEUES = [
  '--dynamic-config-value=matching.enableFairness=true',
  '--dynamic-config-value=matching.useNewMatcher=true',
];

/** Starts Temporal's dev server. Resolves with its address once it serves the default namespace. */
export async function startTemporal(options: TemporalOptions): Promise<string> {
  const { supervisor, dataDir, port } = options;
  await supervisor.start({
    name: 'Temporal',
    command: options.cli,
    args: [
      'server',
      'start-dev',
      `--ip=${HOST}`,
      `--port=${port}`,
      '--log-level=warn',
      ...uiAndStore(options),
      ...SHARED_QUEUES,
    ],
    logFile: path.join(dataDir, 'logs', 'temporal.log'),
    plan: [{ signal: 'SIGTERM', waitMs: 15_000 }],
  });
  const address = `${HOST}:${port}`;
  await waitUntil('Temporal', 60_000, () => servingProblem({ address, namespace: 'default', tls: false }));
  return address;
}

function uiAndStore({ uiPort, durable, dataDir }: TemporalOptions): string[] {
  const ui = uiPort === undefined ? '--headless' : `--ui-port=${uiPort}`;
  if (!durable) return [ui];
  // On a file and without these pragmas, the server runs a third of the workflows per second (measured).
  const pragmas = ['--sqlite-pragma=journal_mode=wal', '--sqlite-pragma=synchronous=1'];
  return [ui, `--db-filename=${path.join(dataDir, 'temporal.db')}`, ...pragmas];
}

/** Throws a StackError if an external Temporal does not answer, or lacks the namespace. */
export async function requireTemporal(config: TemporalConfig): Promise<void> {
  const problem = await servingProblem(config);
  if (problem === undefined) return;
  throw new StackError(
    `The Temporal at ${config.address} (TEMPORAL_ADDRESS) does not serve namespace ${config.namespace}: ${problem}`,
  );
}

async function servingProblem(config: TemporalConfig): Promise<string | undefined> {
  try {
    const connection = await connectTemporal(config);
    try {
      await connection.workflowService.describeNamespace({ namespace: config.namespace });
    } finally {
      await connection.close();
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
