import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  Next,
  WorkerInterceptors,
} from '@temporalio/worker';
import { eventually } from './eventually.ts';

export interface HeldActivities {
  /** For `startGateway`. */
  interceptors: WorkerInterceptors;
  /** The next attempt of this activity in this workflow waits, before its work or after it. */
  hold(activity: string, at: 'before' | 'after', workflowId: string): void;
  /** Resolves when an attempt waits at every point. */
  reached(): Promise<void>;
  /** Lets all of them go on, and holds no more. */
  release(): void;
}

/** Holds activities in the worker itself, around the product's code, so that something can happen meanwhile. */
export function createHeldActivities(): HeldActivities {
  const points = new Map<string, { isReached: boolean }>();
  let released = Promise.withResolvers<void>();
  const wait = async (activity: string, at: string, workflowId = ''): Promise<void> => {
    const point = points.get(`${activity} ${at} ${workflowId}`);
    if (point === undefined || point.isReached) return;
    point.isReached = true;
    await released.promise;
  };
  return {
    interceptors: {
      activity: [
        ({ info }) => ({
          inbound: {
            async execute(
              input: ActivityExecuteInput,
              next: Next<ActivityInboundCallsInterceptor, 'execute'>,
            ) {
              const workflowId = info.workflowExecution?.workflowId;
              await wait(info.activityType, 'before', workflowId);
              const result = await next(input);
              await wait(info.activityType, 'after', workflowId);
              return result;
            },
          },
        }),
      ],
    },
    hold: (activity, at, workflowId) =>
      void points.set(`${activity} ${at} ${workflowId}`, { isReached: false }),
    reached: () =>
      eventually('held activities', async () =>
        [...points.values()].every(({ isReached }) => isReached) ? true : undefined,
      ).then(() => {}),
    release() {
      points.clear();
      released.resolve();
      released = Promise.withResolvers();
    },
  };
}
