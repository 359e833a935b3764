/** Wraps activities, and adds heartbeats to them, so that Temporal notices a dead worker within seconds. */
import { Context } from '@temporalio/activity';

type Activity = (...args: never[]) => Promise<unknown>;

export type Activities = Record<string, Activity>;

/** Returns activities that call `around` with the run of an attempt. */
export function wrapActivities<A extends Activities>(
  activities: A,
  around: (run: () => Promise<unknown>) => Promise<unknown>,
): A {
  const wrapped = Object.entries(activities).map(([name, run]): [string, Activity] => [
    name,
    (...args) => around(() => run(...args)),
  ]);
  return Object.fromEntries(wrapped) as A;
}

/** The interval of heartbeats. Several fit into the heartbeat timeout of workflows/activity-options.ts. */
const EVERY_MS = 3_000;

/** Sends heartbeats while the work lasts, with the details of each moment. */
export async function heartbeatDuring<Result>(
  work: () => Promise<Result>,
  detailsOf?: () => unknown,
): Promise<Result> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(detailsOf?.()), EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Wraps activities so that each sends heartbeats while an attempt lasts. Most attempts end before their first heartbeat
 * and cost nothing.
 */
export function withHeartbeats<A extends Activities>(activities: A): A {
  return wrapActivities(activities, heartbeatDuring);
}
