/** Makes activities share the slots of their queue between organizations. */
import { Context } from '@temporalio/activity';
import type { SharedSlots } from '../services/shared-slots.ts';
import { retryLaterFailure } from './to-application-failure.ts';
import { type Activities, wrapActivities } from './wrap-activities.ts';

/**
 * Wraps activities that may wait for a long time for somebody else's server. An attempt for which the organization has
 * no slot left fails at once and is retried later, so it must have no limit of attempts. The server sends the
 * organization with each task, as its fairness key. A slot supplier of the SDK could not do this, because it reserves a
 * slot before the task is known.
 */
export function withSharedSlots<A extends Activities>(slots: SharedSlots, activities: A): A {
  return wrapActivities(activities, async (run) => {
    const { attempt, priority } = Context.current().info;
    const organizationId = priority?.fairnessKey;
    if (organizationId === undefined) return run();
    const taken = slots.take(organizationId, attempt === 1);
    if (typeof taken === 'number') {
      throw retryLaterFailure('the organization has as many others at work as it may have', taken);
    }
    try {
      return await run();
    } finally {
      taken();
    }
  });
}
