import type { Handle } from '../postgres/connection.ts';
import { idsOf } from '../postgres/results.ts';
import { run } from '../postgres/statement.ts';
import { rememberNames } from './former-names.ts';
import { differs, IS_GONE_PERSON, type StagedScope } from './staged-sql.ts';

/**
 * Stores the people that a directory sync has read from its source, in chunks. `offset 0` makes Postgres look up the
 * rows of a subquery by index.
 */
export function createPersonSyncStore(handle: Handle) {
  return {
    ...personWrites(handle),

    /**
     * Removes up to `limit` people from the job's plan and returns their ids. People who lose something (`leaves`) come
     * last.
     */
    take: (jobId: string, limit: number): Promise<string[]> =>
      idsOf(
        handle,
        `delete from directory_job_people where job_id = :jobId and person_id = any(array(
           select person_id from directory_job_people where job_id = :jobId order by leaves, person_id limit :limit))
         returning person_id id`,
        { jobId, limit },
      ),

    /**
     * Frees the user names that these people will get. Two people may swap names, but names stay unique. So the present
     * holder of such a name, who will get another one, first gets the holder's own id as a placeholder. Freed names are
     * kept as former names.
     */
    async freeNames({ jobId, organizationId }: StagedScope, ids: readonly string[]): Promise<void> {
      await run(
        handle,
        `with named as materialized (
           select holder.id, holder.user_name, holder.external_id
           from directory_stage_people s,
             lateral (
               select id, user_name, external_id from directory_people
               where organization_id = :organizationId and lower(user_name) = lower(s.user_name) and deleted_at is null
               offset 0
             ) holder,
             lateral (
               select from directory_stage_people
               where job_id = :jobId and person_id = holder.id and lower(user_name) <> lower(holder.user_name) offset 0
             ) renamed
           where s.job_id = :jobId and s.person_id = any(cast(:ids as uuid[])) and s.person_id <> holder.id),
         remembered as (${rememberNames({ from: 'named d', userName: 'd.id::text', externalId: 'd.external_id' })})
         update directory_people d set user_name = d.id::text from named where d.id = named.id`,
        { jobId, organizationId, ids },
      );
    },

    /** Marks as deleted the planned people that the source no longer has, and removes them from groups. */
    async hideMissing(scope: StagedScope): Promise<void> {
      const ids = await idsOf(
        handle,
        `update directory_people d set deleted_at = clock_timestamp(), updated_at = clock_timestamp(),
           version = version + 1
         where id in (select person_id from directory_job_people where job_id = :jobId)
           and organization_id = :organizationId and deleted_at is null and ${IS_GONE_PERSON}
         returning id`,
        { ...scope },
      );
      await run(handle, 'delete from directory_group_members where person_id = any(:ids)', { ids });
    },
  };
}

/** Builds the methods that store people and their memberships. */
function personWrites(handle: Handle) {
  return {
    /**
     * Stores the staged data of these people where it differs from the stored data. Replaced names are kept as former
     * names.
     */
    async store({ jobId, organizationId }: StagedScope, ids: readonly string[]): Promise<void> {
      await run(
        handle,
        `with remembered as (${REMEMBER_REPLACED})
         insert into directory_people as d (id, organization_id, source_id, external_id, user_name, email, given_name,
           family_name, active, resource)
         select person_id, cast(:organizationId as uuid), source_id, external_id, user_name, email, given_name,
           family_name, active, resource
         from directory_stage_people where job_id = :jobId and person_id = any(cast(:ids as uuid[]))
         on conflict (id) do update set source_id = excluded.source_id, external_id = excluded.external_id,
           user_name = excluded.user_name, email = excluded.email, given_name = excluded.given_name,
           family_name = excluded.family_name, active = excluded.active, resource = excluded.resource,
           deleted_at = null, version = d.version + 1, updated_at = clock_timestamp()
         where ${differs('excluded')}`,
        { jobId, organizationId, ids },
      );
    },

    /** Makes these people members of exactly the staged groups that name them. */
    async storeMemberships(scope: StagedScope, ids: readonly string[]): Promise<void> {
      const values = { ...scope, ids };
      // Links members that a group named by source id before they were known people.
      await run(
        handle,
        `update directory_group_members m set person_id = s.person_id, value = s.person_id::text
         from directory_stage_people s, directory_groups g
         where s.job_id = :jobId and s.person_id = any(cast(:ids as uuid[])) and m.value = s.source_id
           and m.person_id is null and g.id = m.group_id and g.organization_id = :organizationId
           and not exists (select from directory_group_members t
             where t.group_id = m.group_id and t.value = s.person_id::text)`,
        values,
      );
      await run(
        handle,
        `with ${MEMBERSHIPS_OF_SOME}
         delete from directory_group_members m using present p
         where m.group_id = p.group_id and m.person_id = p.person_id
           and not exists (select from wanted w where w.group_id = p.group_id and w.person_id = p.person_id)`,
        values,
      );
      await run(
        handle,
        `with ${MEMBERSHIPS_OF_SOME}
         insert into directory_group_members (group_id, value, person_id)
         select group_id, person_id::text, person_id from (
           select group_id, person_id from wanted except select group_id, person_id from present) added
         on conflict (group_id, value) do update set person_id = excluded.person_id`,
        values,
      );
    },
  };
}

const REMEMBER_REPLACED = rememberNames({
  from: `(select * from directory_stage_people where job_id = :jobId and person_id = any(cast(:ids as uuid[]))) s
    cross join lateral (select id, user_name, external_id from directory_people where id = s.person_id offset 0) d`,
  userName: 's.user_name',
  externalId: 's.external_id',
});

/**
 * SQL: `known`, the stored people with `:ids` and a source id; `wanted`, the staged groups that name them; `present`,
 * their current memberships in staged groups.
 */
const MEMBERSHIPS_OF_SOME = `
  known as materialized (
    select d.source_id, d.id person_id from directory_people d
    where d.id = any(cast(:ids as uuid[])) and d.source_id is not null and d.deleted_at is null),
  wanted as materialized (
    select distinct g.group_id, k.person_id from known k
    join directory_stage_members m on m.job_id = :jobId and m.value = k.source_id
    join directory_stage_groups g on g.job_id = m.job_id and g.source_id = m.group_source_id),
  present as materialized (
    select m.group_id, m.person_id from directory_group_members m
    join directory_stage_groups g on g.job_id = :jobId and g.group_id = m.group_id
    where m.person_id = any(cast(:ids as uuid[])))`;
