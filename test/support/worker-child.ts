import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { loadConfig } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { installRuntime, temporalMetricsAddress } from '../../worker/install-runtime.ts';
import { startWorker } from '../../worker/start-worker.ts';
import type { WorkerTimes } from '../../worker/worker-times.ts';
import type { HoldPoint, WorkerNote } from './worker-processes.ts';

/**
 * A worker in a process of its own, to be killed; worker-processes.ts starts it. Its configuration is the
 * environment's, as in production. Arguments: where to hold attempts and its times, as JSON, and the workflow bundle.
 */
const [held = '[]', ownTimes = '{}', bundlePath] = process.argv.slice(2);
const points = JSON.parse(held) as HoldPoint[];
const times = JSON.parse(ownTimes) as Partial<WorkerTimes>;

const config = loadConfig(process.env);
const logger = createLogger({ level: config.logLevel, name: 'worker' });
installRuntime(logger, await temporalMetricsAddress(config.metrics));

function tell(note: WorkerNote): void {
  process.send?.(note);
}

/** Never returns at a point where attempts are held: only the death of the process ends them. */
async function hold(at: HoldPoint['at'], activity: string, workflowId: string | undefined): Promise<void> {
  const index = points.findIndex(
    (point) =>
      point.at === at && point.activity === activity && (point.workflowId ?? workflowId) === workflowId,
  );
  if (index === -1) return;
  tell({ reached: index });
  await new Promise(() => {});
}

const { failed } = await startWorker(config, logger, {
  bundlePath,
  times,
  interceptors: {
    activity: [
      ({ info }) => ({
        inbound: {
          async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) {
            const workflowId = info.workflowExecution?.workflowId;
            await hold('before', info.activityType, workflowId);
            const result = await next(input);
            await hold('after', info.activityType, workflowId);
            return result;
          },
        },
      }),
    ],
  },
});
failed.catch((error: unknown) => {
  logger.fatal({ err: error }, 'a worker failed');
  process.exit(1);
});
// The tests are gone.
process.on('disconnect', () => process.exit(0));
tell('polling');
