/** Matches the staged people and groups of a directory sync with the stored ones. */
import type { Handle } from '../postgres/connection.ts';
import { text } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import type { StagedKind } from './stage-store.ts';

export interface MergeRequest {
  jobId: string;
  organizationId: string;
  /**
   * True: the reading was complete. A staged row may then match a stored row with another source id by external id or
   * name, because that id is gone from the source.
   */
  isFull: boolean;
  /** True: stored source ids belong to another server. */
  ignoresIds: boolean;
}

const COLUMNS = {
  people: { id: 'person_id', name: 'user_name' },
  groups: { id: 'group_id', name: 'display_name' },
} as const;

/** Matches staged people and groups with stored ones. */
export function createMergeStore(handle: Handle) {
  return {
    ...takenNames(handle),

    /**
     * Updates the planner's statistics of tables that may just have received most of their rows. Postgres would
     * otherwise plan the next comparisons for a few rows.
     */
    async analyze(): Promise<void> {
      await run(
        handle,
        `analyze directory_people (organization_id, source_id, external_id, user_name, deleted_at),
           directory_groups (organization_id, source_id, external_id, display_name, deleted_at),
           directory_group_members`,
      );
      await this.analyzeStage();
    },

    async analyzeStage(): Promise<void> {
      await run(
        handle,
        `analyze directory_stage_people (job_id, source_id, person_id, external_id, user_name, email, active),
           directory_stage_groups (job_id, source_id, group_id, external_id, display_name), directory_stage_members`,
      );
    },

    /** Updates the planner's statistics of the tables that grow while people are applied. */
    async analyzeMembers(): Promise<void> {
      await run(
        handle,
        `analyze directory_people, directory_group_members, directory_memberships, directory_job_people, users,
           organization_members, workspace_members`,
      );
    },

    /**
     * Matches by the id at the source, then by the external id, then by the name in any case. Living rows take
     * precedence over deleted ones. A row without a match gets a new id.
     */
    async merge(kind: StagedKind, request: MergeRequest): Promise<void> {
      const { id } = COLUMNS[kind];
      await run(
        handle,
        `update directory_stage_${kind} s set ${id} = d.id from directory_${kind} d
         where s.job_id = :jobId and s.${id} is null and d.organization_id = :organizationId
           and d.source_id = s.source_id and not :ignoresIds`,
        { ...request },
      );
      await matchBy(handle, kind, request, 'd.external_id = s.external_id');
      const { name } = COLUMNS[kind];
      await matchBy(handle, kind, request, `lower(d.${name}) = lower(s.${name})`);
      await run(
        handle,
        `update directory_stage_${kind} set ${id} = gen_random_uuid() where job_id = :jobId and ${id} is null`,
        { ...request },
      );
    },
  };
}

/** Builds the methods that find names which two people would share. */
function takenNames(handle: Handle) {
  return {
    /** Returns a name that two staged people have, in any case; undefined when there is none. */
    async findDoubleName(jobId: string): Promise<string | undefined> {
      const rows = await rowsOf(
        handle,
        { name: text },
        `select min(user_name) name from directory_stage_people where job_id = :jobId
         group by lower(user_name) having count(*) > 1 limit 1`,
        { jobId },
      );
      return rows[0]?.name;
    },

    /** Returns a staged person's name that a remaining, unstaged person has; undefined if there is none. */
    async findTakenName({ jobId, organizationId }: MergeRequest): Promise<string | undefined> {
      const rows = await rowsOf(
        handle,
        { name: text },
        `select s.user_name name from directory_stage_people s
         join directory_people d on d.organization_id = :organizationId and lower(d.user_name) = lower(s.user_name)
           and d.deleted_at is null
         where s.job_id = :jobId and not exists (select from directory_stage_people t
           where t.job_id = :jobId and t.person_id = d.id)
         limit 1`,
        { jobId, organizationId },
      );
      return rows[0]?.name;
    },
  };
}

/**
 * Gives staged rows without an id the best stored row that meets the condition. No two staged rows get the same stored
 * row.
 */
async function matchBy(
  handle: Handle,
  kind: StagedKind,
  request: MergeRequest,
  condition: string,
): Promise<void> {
  const { id } = COLUMNS[kind];
  await run(
    handle,
    `with pairs as (
       select distinct on (s.source_id) s.source_id, d.id
       from directory_stage_${kind} s join directory_${kind} d on d.organization_id = :organizationId and ${condition}
       where s.job_id = :jobId and s.${id} is null
         and (:isFull or d.source_id is null or d.deleted_at is not null)
         and not exists (select from directory_stage_${kind} t where t.job_id = :jobId and t.${id} = d.id)
       order by s.source_id, d.deleted_at nulls first, d.id),
     single as (select distinct on (id) source_id, id from pairs order by id, source_id)
     update directory_stage_${kind} s set ${id} = single.id from single
     where s.job_id = :jobId and s.source_id = single.source_id`,
    { ...request },
  );
}
