/** Plans the changes of a directory sync: of a whole directory, or of the people that a push or a mapping affects. */
import { createGroupSyncStore } from '../../../db/directory/group-sync-store.ts';
import { createPlanStore } from '../../../db/directory/plan-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { SyncWarning } from '../../../domain/directory/job.ts';
import { enterStage } from '../../../domain/directory/sync-cursor.ts';
import { holdTooManyRemovals, releaseHeld } from '../push/hold-removals.ts';
import { makeLockedStep } from './job-step.ts';
import { planStaged } from './plan-staged.ts';
import { readsSource } from './require-source.ts';
import type { CompareResult, OwnedJob, SyncDeps } from './sync-deps.ts';

/**
 * Plans the people that a push or a mapping left to a run. Too many removals are held, and the other changes are
 * applied. Before `planWhole`, the guard has already decided.
 */
export function planPushed(
  { knex, renderRemovalsHeld }: SyncDeps,
  claimed: OwnedJob,
): Promise<CompareResult> {
  const { id, organizationId } = claimed.job;
  return makePlan(knex, claimed, async (transaction) => {
    const plans = createPlanStore(transaction);
    const personIds = await plans.guardedIds(organizationId);
    const held = await holdTooManyRemovals(transaction, { organizationId, personIds }, renderRemovalsHeld);
    await releaseHeld(transaction, { organizationId });
    await plans.freeGuarded(organizationId);
    await plans.planPending(id, organizationId);
    const message = `The removal of ${held} people waits for a sync that allows deletions.`;
    return { deleted: 0, warnings: held === 0 ? [] : [{ reason: 'removals_held', message }] };
  });
}

/** Plans the people of a whole directory, which was read from its source or pushed. */
export function planWhole({ knex }: SyncDeps, claimed: OwnedJob): Promise<CompareResult> {
  const { id, organizationId, allowDeletions } = claimed.job;
  return makePlan(knex, claimed, async (transaction) => {
    if (readsSource(claimed)) return planStaged(transaction, claimed);
    const plans = createPlanStore(transaction);
    if (allowDeletions) await plans.releaseAll(organizationId);
    await plans.planAll(id, organizationId);
    return { deleted: 0, warnings: [] };
  });
}

/** Makes the step that plans. The work returns the number of groups that it has deleted, and its warnings. */
async function makePlan(
  knex: Handle,
  claimed: OwnedJob,
  work: (transaction: Handle) => Promise<{ deleted: number; warnings: SyncWarning[] }>,
): Promise<CompareResult> {
  const { job, cursor } = claimed;
  let people = 0;
  await makeLockedStep(knex, claimed, async (transaction) => {
    const { deleted, warnings } = await work(transaction);
    people = await createPlanStore(transaction).countPlanned(job.id);
    const synced = await createGroupSyncStore(transaction).count(job.organizationId);
    return {
      cursor: { ...enterStage(cursor, 'applying'), groups: { synced, deleted } },
      progress: { step: 'applying', applied: 0, toApply: people },
      warnings,
    };
  });
  return { kind: 'apply', people };
}
