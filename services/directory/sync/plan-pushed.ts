/** Plans a directory sync of people that an identity provider pushed or that a mapping affects. */
import { createGroupSyncStore } from '../../../db/directory/group-sync-store.ts';
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import { createPlanStore } from '../../../db/directory/plan-store.ts';
import { enterStage } from '../../../domain/directory/sync-cursor.ts';
import { holdTooManyRemovals, releaseHeld } from '../push/hold-removals.ts';
import type { CompareResult } from './compare-result.ts';
import { makeStep } from './job-step.ts';
import type { RunRef, SyncDeps } from './sync-deps.ts';

/**
 * Plans the people that a push or a mapping left to a run. Too many removals are held, and the other changes are
 * applied. The plan of a whole sync (compare-directory.ts) is another one: there the guard has already decided.
 */
export async function planPushed(
  { knex, renderRemovalsHeld }: SyncDeps,
  ref: RunRef,
  claimed: ClaimedJob,
): Promise<CompareResult> {
  const { id, organizationId } = claimed.job;
  let people = 0;
  await makeStep(
    knex,
    ref,
    claimed,
    async (transaction) => {
      const plans = createPlanStore(transaction);
      const personIds = await plans.guardedIds(organizationId);
      const held = await holdTooManyRemovals(transaction, { organizationId, personIds }, renderRemovalsHeld);
      await releaseHeld(transaction, { organizationId });
      await plans.freeGuarded(organizationId);
      await plans.planPending(id, organizationId);
      people = await plans.countPlanned(id);
      const synced = await createGroupSyncStore(transaction).count(organizationId);
      const message = `The removal of ${held} people waits for a sync that allows deletions.`;
      return {
        cursor: { ...enterStage(claimed.cursor, 'applying'), groups: { synced, deleted: 0 } },
        progress: { step: 'applying', applied: 0, toApply: people },
        warnings: held === 0 ? [] : [{ reason: 'removals_held', message }],
      };
    },
    { locks: true },
  );
  return { kind: 'apply', people };
}
