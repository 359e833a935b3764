/** Creates the Temporal workers of a process, and finds or builds the bundle of their workflows. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type NativeConnection,
  Worker,
  type WorkerInterceptors,
  type WorkerOptions,
} from '@temporalio/worker';
import { QUEUES, type QueueName } from '../domain/runs.ts';
import { SLOTS } from './slots.ts';

/**
 * The longest pause between heartbeats. By default the SDK sends them at 80 % of their timeout, so that a short pause
 * of the process would look like a crash.
 */
const MAX_HEARTBEAT_INTERVAL_MS = 5_000;

/**
 * The number of runs of each queue that a process keeps in memory, at about half a megabyte each. A run beyond them is
 * replayed from its history when it continues. Video jobs continue every few seconds, other runs after minutes or
 * hours.
 */
const CACHED_RUNS: Record<QueueName, number> = {
  video: 100,
  webhooks: 50,
  broadcast: 50,
  'provider-io': 50,
  directory: 10,
  maintenance: 10,
};

export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  queues: QueueName[];
  activities: Record<QueueName, object>;
  /** A file made by `build-bundle.ts`. Without it the workflows are bundled at the start, which takes seconds. */
  bundlePath?: string | undefined;
  versioning?: { deploymentName: string; buildId: string } | undefined;
  /** Milliseconds for which activities under way may finish after the worker began to stop. */
  shutdownGraceMs: number;
  /** Interceptors with which tests stop a worker before or after an effect. */
  interceptors?: WorkerInterceptors | undefined;
}

export const WORKFLOWS_PATH = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** Returns the bundle that `npm run build` puts beside the built worker; undefined when running from the sources. */
export function findPrebuiltBundle(): string | undefined {
  const path = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  return existsSync(path) ? path : undefined;
}

/** Creates one worker per queue. Each has slots of its own, so that slow work of one kind cannot delay another. */
export async function createWorkers(options: WorkersOptions): Promise<Worker[]> {
  const workflowBundle =
    options.bundlePath === undefined
      ? await bundleWorkflowCode({ workflowsPath: WORKFLOWS_PATH, logger: new DefaultLogger('WARN') })
      : { codePath: options.bundlePath };
  return Promise.all(
    options.queues.map((queue) =>
      Worker.create({
        connection: options.connection,
        namespace: options.namespace,
        taskQueue: QUEUES[queue],
        workflowBundle,
        activities: options.activities[queue],
        maxConcurrentActivityTaskExecutions: SLOTS[queue],
        maxCachedWorkflows: CACHED_RUNS[queue],
        maxHeartbeatThrottleInterval: MAX_HEARTBEAT_INTERVAL_MS,
        // With the SDK's default of 0, a stop would cancel a paid submission during the call.
        shutdownGraceTime: options.shutdownGraceMs,
        shutdownForceTime: options.shutdownGraceMs + 10_000,
        ...(options.interceptors === undefined ? {} : { interceptors: options.interceptors }),
        ...(options.versioning === undefined ? {} : versioned(options.versioning, queue)),
      }),
    ),
  );
}

/**
 * Returns the options of worker versioning. Video jobs are short and finish on the build they started with. A
 * webhook's delivery may take days, so it continues on the newest build.
 */
function versioned(
  version: { deploymentName: string; buildId: string },
  queue: QueueName,
): Partial<WorkerOptions> {
  return {
    workerDeploymentOptions: {
      version,
      useWorkerVersioning: true,
      defaultVersioningBehavior: queue === 'video' ? 'PINNED' : 'AUTO_UPGRADE',
    },
  };
}
