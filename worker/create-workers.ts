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

/**
 * How much one process does at once, by queue. The sweep takes one slot of maintenance all the time, and each destination
 * with something to send one of broadcast.
 */
const SLOTS: Record<QueueName, number> = {
  video: 100,
  webhooks: 200,
  broadcast: 500,
  'provider-io': 50,
  directory: 4,
  maintenance: 6,
};

/** Left alone, the SDK sends heartbeats at 80 % of their timeout: one short pause would look like a death. */
const HEARTBEAT_AT_LEAST_EVERY_MS = 5_000;

export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  queues: QueueName[];
  activities: Record<QueueName, object>;
  /** A file made by `build-bundle.ts`; without it the workflows are bundled now, which takes seconds. */
  bundlePath?: string;
  versioning?: { deploymentName: string; buildId: string };
  /** How long activities under way may finish after a stop was asked for. */
  shutdownGraceMs: number;
  /** Tests stop a worker before or after an effect with them. */
  interceptors?: WorkerInterceptors;
}

export const WORKFLOWS_PATH = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));

/** The bundle that `npm run build` puts beside the built worker; undefined when running from the sources. */
export function findPrebuiltBundle(): string | undefined {
  const path = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  return existsSync(path) ? path : undefined;
}

/** One worker per queue, each with slots of its own, so that slow work of one kind cannot hold another. */
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
        maxHeartbeatThrottleInterval: HEARTBEAT_AT_LEAST_EVERY_MS,
        // The SDK's default is 0: it would cancel a paid submission in mid-call.
        shutdownGraceTime: options.shutdownGraceMs,
        shutdownForceTime: options.shutdownGraceMs + 10_000,
        ...(options.interceptors === undefined ? {} : { interceptors: options.interceptors }),
        ...(options.versioning === undefined ? {} : versioned(options.versioning, queue)),
      }),
    ),
  );
}

/** Video jobs are short and finish on the build they began with; a webhook's days go on with the newest. */
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
