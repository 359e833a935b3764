import { QUEUES } from '../../domain/runs.ts';
import { connectTemporal, type TemporalConfig } from '../../platform/temporal.ts';

/**
 * Returns why the worker is not ready; undefined once it has polled each queue since the given time. A worker listens
 * on no port, so this asks Temporal for the pollers.
 */
export async function workerProblem(config: TemporalConfig, since: Date): Promise<string | undefined> {
  const connection = await connectTemporal(config);
  try {
    for (const name of Object.values(QUEUES)) {
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace: config.namespace,
        taskQueue: { name },
        // The type of workflow tasks, which a worker begins to poll last.
        taskQueueType: 1,
      });
      const polled = (pollers ?? []).some(
        ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 >= since.getTime() - 1000,
      );
      if (!polled) return `no worker has asked Temporal for work on queue ${name}`;
    }
    return undefined;
  } finally {
    await connection.close();
  }
}
