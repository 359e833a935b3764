/** Selects the people that a directory sync must update, and the people whose removal its guard must check. */
import type { Handle } from '../postgres/connection.ts';
import { countRows, idsOf } from '../postgres/results.ts';
import { run } from '../postgres/statement.ts';
import { differs, IS_GONE_PERSON, KNOWN_MEMBERS, NEXT_VERSION, type StagedScope } from './staged-sql.ts';

const IS_MEMBER = `exists (
  select from organization_members o where o.organization_id = d.organization_id and o.user_id = d.user_id)`;

const LIVES = '(d.active and d.deleted_at is null)';

/** SQL: people who are pending, or whose membership differs from the directory, for example because a run was lost. */
const OUT_OF_STEP = `
  select d.id from directory_people d
  where d.organization_id = :organizationId and (d.pending is not null or ${LIVES} <> ${IS_MEMBER})`;

/** Plans which people a run applies. A planned person without changes is skipped later. */
export function createPlanStore(handle: Handle) {
  return {
    ...plansOfStored(handle),

    ...guardedPeople(handle),

    /**
     * Plans people with changed data, people with changed groups, and leavers. After a complete reading, people whose
     * removal is held are planned too. Groups with changed members get their next version.
     */
    async planStaged(scope: StagedScope): Promise<void> {
      await run(
        handle,
        `with ${KNOWN_MEMBERS},
         moved as (
           (select group_id, person_id from wanted except select group_id, person_id from present)
           union all
           (select group_id, person_id from present except select group_id, person_id from wanted)),
         planned as (
           select person_id id from moved
           union
           select s.person_id from directory_stage_people s left join directory_people d on d.id = s.person_id
           where s.job_id = :jobId and (d.id is null or ${differs('s')})
           union
           select d.id from directory_people d
           where d.organization_id = :organizationId and d.deleted_at is null and ${IS_GONE_PERSON}
           union
           select d.id from directory_people d
           where :isFull and d.organization_id = :organizationId and d.removal_held_at is not null
           union ${OUT_OF_STEP}),
         changed as (
           update directory_groups d set ${NEXT_VERSION} where d.id in (select group_id from moved))
         insert into directory_job_people (job_id, person_id, leaves)
         select cast(:jobId as uuid), p.id, not coalesce(s.active, ${LIVES} and not ${IS_GONE_PERSON}, false)
         from planned p left join directory_people d on d.id = p.id
         left join directory_stage_people s on s.job_id = :jobId and s.person_id = p.id
         on conflict do nothing`,
        { ...scope },
      );
    },

    countPlanned: (jobId: string): Promise<number> =>
      countRows(handle, 'from directory_job_people where job_id = :jobId', { jobId }),
  };
}

/** Builds the methods that plan stored people. */
function plansOfStored(handle: Handle) {
  return {
    /** Plans the people that a push left for a run. */
    planPending: (jobId: string, organizationId: string) =>
      planStored(handle, jobId, organizationId, 'd.pending is not null'),

    /**
     * Plans all living people, and deleted people who are pending or still members. People left to the guard of a run
     * are not planned.
     */
    planAll: (jobId: string, organizationId: string) =>
      planStored(
        handle,
        jobId,
        organizationId,
        `d.pending is distinct from 'guarded' and (d.deleted_at is null or d.pending is not null or ${IS_MEMBER})`,
      ),
  };
}

/** Builds the methods for people whose removals the guard checks, and for the end of a run. */
function guardedPeople(handle: Handle) {
  return {
    /** Returns the pending people whose removals the guard must check. */
    guardedIds: (organizationId: string): Promise<string[]> =>
      idsOf(
        handle,
        `select id from directory_people where organization_id = :organizationId and pending = 'guarded'`,
        { organizationId },
      ),

    /** Records that the guard has checked all pending people. */
    async freeGuarded(organizationId: string): Promise<void> {
      await run(
        handle,
        `update directory_people set pending = 'free' where organization_id = :organizationId and pending = 'guarded'`,
        { organizationId },
      );
    },

    /** Releases all removals that are held or wait for the guard. */
    async releaseAll(organizationId: string): Promise<void> {
      await run(
        handle,
        `update directory_people set removal_held_at = null, pending = 'free'
         where organization_id = :organizationId and (removal_held_at is not null or pending = 'guarded')`,
        { organizationId },
      );
    },

    /** Marks people that the job planned but did not apply as pending, so that another run applies them. */
    async leavePlanned(jobId: string): Promise<void> {
      await run(
        handle,
        `update directory_people set pending = 'free'
         where id in (select person_id from directory_job_people where job_id = :jobId) and pending is null`,
        { jobId },
      );
    },
  };
}

/** Plans the stored people who meet the condition. */
async function planStored(
  handle: Handle,
  jobId: string,
  organizationId: string,
  condition: string,
): Promise<void> {
  await run(
    handle,
    `insert into directory_job_people (job_id, person_id, leaves)
       select cast(:jobId as uuid), d.id, not ${LIVES} from directory_people d
       where d.organization_id = :organizationId and (${condition})
       on conflict do nothing`,
    { jobId, organizationId },
  );
}
