/** Adds heartbeats to activities, so that Temporal notices a dead worker within seconds. */
import { Context } from '@temporalio/activity';

/** The interval of heartbeats. Several fit into the heartbeat timeout of workflows/activity-options.ts. */
const EVERY_MS = 3_000;

type Activity = (...args: never[]) => Promise<unknown>;

/**
 * Wraps activities so that each sends heartbeats while an attempt lasts. Most attempts end before their first heartbeat
 * and cost nothing.
 */
export function withHeartbeats<A extends Record<string, Activity>>(activities: A): A {
  const wrapped = Object.entries(activities).map(([name, run]): [string, Activity] => [
    name,
    async (...args) => {
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), EVERY_MS);
      try {
        return await run(...args);
      } finally {
        clearInterval(timer);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as A;
}
