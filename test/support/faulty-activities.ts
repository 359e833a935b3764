import { ApplicationFailure } from '@temporalio/common';
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  Next,
  WorkerInterceptors,
} from '@temporalio/worker';

/**
 * `before`: the attempt dies before the activity did anything. `after`: the activity did its work and its
 * answer is lost, as when a worker dies. `for-good`: it fails before its effect and is not retried.
 */
export type ActivityFault = 'before' | 'after' | 'for-good';

export interface FaultyActivities {
  /** For `startGateway` and `gateway.startWorker`. */
  interceptors: WorkerInterceptors;
  /** The next attempts of the activity fail so; `for-good` hits all further ones until `heal`. */
  fail(activity: string, ...faults: ActivityFault[]): void;
  heal(): void;
  /** How often the activity's own code ran to its end since the last `heal`. */
  ran(activity: string): number;
  /** How many attempts there were since the last `heal`. */
  attempts(activity: string): number;
}

/** Fails activities in the worker itself, around the product's code, to see that each is safe to repeat. */
export function createFaultyActivities(): FaultyActivities {
  const planned = new Map<string, ActivityFault[]>();
  const ran = new Map<string, number>();
  const attempts = new Map<string, number>();

  const execute = async (activity: string, work: () => Promise<unknown>): Promise<unknown> => {
    count(attempts, activity);
    const [fault] = planned.get(activity) ?? [];
    if (fault === 'for-good') throw ApplicationFailure.nonRetryable(`test: ${activity} fails for good`);
    planned.get(activity)?.shift();
    if (fault === 'before') throw new Error(`test: ${activity} fails before its effect`);
    const result = await work();
    count(ran, activity);
    if (fault === 'after') throw new Error(`test: the answer of ${activity} is lost`);
    return result;
  };

  return {
    interceptors: {
      activity: [
        ({ info }) => ({
          inbound: {
            execute: (input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) =>
              execute(info.activityType, () => next(input)),
          },
        }),
      ],
    },
    fail: (activity, ...faults) => void planned.set(activity, faults),
    heal() {
      planned.clear();
      ran.clear();
      attempts.clear();
    },
    ran: (activity) => ran.get(activity) ?? 0,
    attempts: (activity) => attempts.get(activity) ?? 0,
  };
}

function count(counts: Map<string, number>, activity: string): void {
  counts.set(activity, (counts.get(activity) ?? 0) + 1);
}
