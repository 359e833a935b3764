import { PUSH_WINDOW_MS } from '../../domain/directory/guard.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows, idsOf } from '../postgres/results.ts';
import { run } from '../postgres/statement.ts';

/** Reads people whose removal waits for an administrator, and recent pushed removals. */
export function createHeldRemovalStore(handle: Handle, organizationId: string) {
  return {
    ...removalMarks(handle),

    /** Counts the people whose removal is held. */
    count: (): Promise<number> =>
      countRows(
        handle,
        `from directory_people
         where organization_id = :organizationId and removal_held_at is not null`,
        { organizationId },
      ),

    /** Returns the people whose removal is held, among these people or, if undefined, among the pending ones. */
    held: (personIds: readonly string[] | undefined): Promise<string[]> =>
      idsOf(
        handle,
        `select id from directory_people
         where organization_id = :organizationId and removal_held_at is not null
           and ${personIds === undefined ? 'pending is not null' : 'id = any(:personIds)'}`,
        { organizationId, personIds: personIds ?? null },
      ),

    /** Returns the people who lost something by pushes within the last hour, whose removals count together. */
    pushedRecently: (): Promise<string[]> =>
      idsOf(
        handle,
        `select distinct c.person_id id from (
           select person_id, created_at from directory_changes
           where organization_id = :organizationId and job_id is null and is_removal
           union all
           select d.person_id, d.created_at
           from directory_jobs j join directory_changes d on d.job_id = j.id and d.is_removal
           where j.organization_id = :organizationId and j.trigger = 'push'
             and (j.finished_at is null or j.finished_at > now() - :windowMs * interval '1 millisecond')
         ) c where c.person_id is not null and c.created_at > now() - :windowMs * interval '1 millisecond'`,
        { organizationId, windowMs: PUSH_WINDOW_MS },
      ),

    /** Returns the number of people who are members, or who were until a recent push removed them. */
    managed: (recentIds: readonly string[]): Promise<number> =>
      countRows(
        handle,
        `from directory_people p
         where p.organization_id = :organizationId and (p.id = any(:recentIds) or exists (
           select from organization_members m
           where m.organization_id = p.organization_id and m.user_id = p.user_id))`,
        { organizationId, recentIds },
      ),
  };
}

/** Builds the methods that hold removals and release them. */
function removalMarks(handle: Handle) {
  return {
    async hold(personIds: readonly string[]): Promise<void> {
      await run(
        handle,
        `update directory_people set removal_held_at = clock_timestamp()
         where id = any(:personIds) and removal_held_at is null`,
        { personIds },
      );
    },

    async release(personIds: readonly string[]): Promise<void> {
      await run(
        handle,
        `update directory_people set removal_held_at = null
         where id = any(:personIds) and removal_held_at is not null`,
        { personIds },
      );
    },
  };
}
