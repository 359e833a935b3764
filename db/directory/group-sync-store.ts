/** Stores the groups of a directory sync, and deletes the groups that the source no longer has. */
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import { text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { ROOM_FOR_OTHERS } from './membership-lines.ts';
import { IS_GONE_GROUP, NEXT_VERSION, type StagedScope, UNKNOWN_MEMBERS } from './staged-sql.ts';

export interface GoneGroups {
  count: number;
  /** The ids of the groups' mappings, which are deleted with the groups. */
  mappingIds: string[];
  /** The names of the mapped groups. */
  mappedNames: string[];
}

/**
 * Stores the groups that a run has read. Members who are known people are stored with the people
 * (person-sync-store.ts).
 */
export function createGroupSyncStore(handle: Handle) {
  return {
    ...groupWrites(handle),

    /**
     * Increases the version of groups that the job changed once more, since their members changed after the plan
     * increased it.
     */
    async endChanges(jobId: string): Promise<void> {
      await run(
        handle,
        `update directory_groups d set ${NEXT_VERSION} from directory_jobs j
         where j.id = :jobId and j.source = 'scim' and j.trigger in ('request', 'schedule')
           and d.organization_id = j.organization_id and d.deleted_at is null and d.updated_at >= j.started_at`,
        { jobId },
      );
    },

    /** Counts the living groups of an organization. */
    count: (organizationId: string): Promise<number> =>
      countRows(
        handle,
        'from directory_groups where organization_id = :organizationId and deleted_at is null',
        { organizationId },
      ),

    /** Hides the groups that the source does not have, and deletes their mappings and members. */
    async hideMissing(scope: StagedScope): Promise<GoneGroups> {
      const gone = await rowsOf(
        handle,
        { id: uuid, name: text },
        `update directory_groups d set deleted_at = clock_timestamp(), updated_at = clock_timestamp(),
           version = version + 1
         where organization_id = :organizationId and deleted_at is null and ${IS_GONE_GROUP}
         returning id, display_name as name`,
        { ...scope },
      );
      const ids = gone.map(({ id }) => id);
      const mappings = await rowsOf(
        handle,
        { id: uuid, groupId: uuid },
        'delete from directory_mappings where group_id = any(:ids) returning id, group_id "groupId"',
        { ids },
      );
      await run(handle, 'delete from directory_group_members where group_id = any(:ids)', { ids });
      const mapped = new Set(mappings.map(({ groupId }) => groupId));
      return {
        count: gone.length,
        mappingIds: mappings.map(({ id }) => id),
        mappedNames: gone.filter(({ id }) => mapped.has(id)).map(({ name }) => name),
      };
    },
  };
}

/** Builds the methods that store staged groups. */
function groupWrites(handle: Handle) {
  return {
    /** Records the groups that will be added, removed and renamed. Call it before `hideMissing` and `store`. */
    async writeChanges(scope: StagedScope): Promise<void> {
      await run(
        handle,
        `insert into directory_changes (organization_id, job_id, kind, group_id, name, from_value, to_value, is_removal)
         select cast(:organizationId as uuid), cast(:jobId as uuid), 'group', id, name, from_value, to_value,
           to_value is null
         from (
           select d.id, d.display_name as name, d.display_name from_value, null to_value from directory_groups d
           where d.organization_id = :organizationId and d.deleted_at is null and ${IS_GONE_GROUP}
           union all
           select s.group_id, s.display_name, d.display_name, s.display_name
           from directory_stage_groups s left join directory_groups d on d.id = s.group_id and d.deleted_at is null
           where s.job_id = :jobId and d.display_name is distinct from s.display_name) changed
         order by to_value is not null, name limit ${ROOM_FOR_OTHERS}`,
        { ...scope },
      );
    },

    /** Inserts new groups and updates changed ones. */
    async store(scope: StagedScope): Promise<void> {
      await run(
        handle,
        `insert into directory_groups as d (id, organization_id, source_id, external_id, display_name, resource)
         select group_id, cast(:organizationId as uuid), source_id, external_id, display_name, resource
         from directory_stage_groups where job_id = :jobId
         on conflict (id) do update set source_id = excluded.source_id, external_id = excluded.external_id,
           display_name = excluded.display_name, resource = excluded.resource, deleted_at = null,
           version = d.version + 1, updated_at = clock_timestamp()
         where d.deleted_at is not null or (d.source_id, d.external_id, d.display_name, d.resource) is distinct from
           (excluded.source_id, excluded.external_id, excluded.display_name, excluded.resource)`,
        { ...scope },
      );
    },

    /** Replaces those members of staged groups that are no known people. Unchanged rows stay. */
    async storeUnknownMembers(scope: StagedScope): Promise<void> {
      await run(
        handle,
        `with ${UNKNOWN_MEMBERS},
         gone as (
           delete from directory_group_members m using scope s
           where m.group_id = s.group_id and m.person_id is null
             and not exists (select from unknown u where u.group_id = m.group_id and u.value = m.value)
           returning m.group_id),
         come as (
           insert into directory_group_members (group_id, value) select group_id, value from unknown
           on conflict do nothing returning group_id)
         update directory_groups d set ${NEXT_VERSION}
         where d.id in (select group_id from gone union select group_id from come)`,
        { ...scope },
      );
    },
  };
}
