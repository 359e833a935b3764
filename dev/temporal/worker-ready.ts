import { QUEUES } from '../../domain/runs.ts';
import { connectTemporal, type TemporalConfig } from '../../platform/temporal.ts';

/**
 * What keeps the worker from being ready: undefined once each queue has had a poll since the given time. A
 * worker listens on no port; Temporal is the one who knows.
 */
export async function workerProblem(config: TemporalConfig, since: Date): Promise<string | undefined> {
  const connection = await connectTemporal(config);
  try {
    for (const name of Object.values(QUEUES)) {
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace: config.namespace,
        taskQueue: { name },
        // Workflow tasks; a worker that is configured for a queue takes them last.
        taskQueueType: 1,
      });
      const polled = (pollers ?? []).some(
        ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 >= since.getTime() - 1000,
      );
      if (!polled) return `nobody has asked Temporal for work on queue ${name}`;
    }
    return undefined;
  } finally {
    await connection.close();
  }
}
