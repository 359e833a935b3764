import { type Handle, rowsOf } from '../connection.ts';
import { differs, IS_GONE_PERSON, MEMBERSHIPS, type StagedScope } from './staged-sql.ts';

/** People on whom a run has nothing to do are skipped: their membership is what the directory says. */
const OUT_OF_STEP = `
  select d.id from directory_people d
  left join organization_members o on o.organization_id = d.organization_id and o.user_id = d.user_id
  where d.organization_id = :organizationId
    and (d.pending is not null or (d.active and d.deleted_at is null) <> (o.user_id is not null))
    and (d.deleted_at is null or o.user_id is not null)`;

/** Plans which people a run applies, and applies what it read about groups. */
export function createPlanStore(handle: Handle) {
  return {
    /** Plans all people of whom the run read something else than is stored, those whose groups change, and those who go. */
    async planStaged(scope: StagedScope): Promise<void> {
      await handle.raw(
        `with ${MEMBERSHIPS},
         moved as (
           (select group_id, person_id from wanted where person_id is not null
            except select group_id, person_id from held)
           union all
           (select group_id, person_id from held where person_id is not null
            except select group_id, person_id from wanted))
         insert into directory_job_people (job_id, person_id)
         select cast(:jobId as uuid), id from (
           select person_id id from moved
           union all
           select s.person_id from directory_stage_people s left join directory_people d on d.id = s.person_id
           where s.job_id = :jobId and (d.id is null or ${differs('s')})
           union all
           select d.id from directory_people d
           where d.organization_id = :organizationId and d.deleted_at is null and ${IS_GONE_PERSON}
           union all ${OUT_OF_STEP}) people
         on conflict do nothing`,
        { ...scope },
      );
    },

    /** Plans the people whom a push left to a run. */
    async planPending(jobId: string, organizationId: string): Promise<void> {
      await handle.raw(
        `insert into directory_job_people (job_id, person_id)
         select ?, id from directory_people where organization_id = ? and pending is not null
         on conflict do nothing`,
        [jobId, organizationId],
      );
    },

    /** Plans everyone who is or was in the directory. */
    async planAll(jobId: string, organizationId: string): Promise<void> {
      await handle.raw(
        `insert into directory_job_people (job_id, person_id)
         select cast(:jobId as uuid), d.id from directory_people d where d.organization_id = :organizationId
           and (d.deleted_at is null or d.pending is not null or exists (
             select from organization_members o
             where o.organization_id = d.organization_id and o.user_id = d.user_id))
         on conflict do nothing`,
        { jobId, organizationId },
      );
    },

    async countPlanned(jobId: string): Promise<number> {
      const [row] = await rowsOf<{ people: number }>(
        handle,
        'select count(*)::integer people from directory_job_people where job_id = ?',
        [jobId],
      );
      return row?.people ?? 0;
    },

    /** Lets every held removal go on. */
    async releaseHeld(organizationId: string): Promise<void> {
      await handle.raw(
        `update directory_people set removal_held_at = null, pending = 'free'
         where organization_id = ? and removal_held_at is not null`,
        [organizationId],
      );
    },
  };
}
