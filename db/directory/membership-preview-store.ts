/** Computes which memberships and keys a directory sync would change, without changing them. */
import type { SyncCounts } from '../../domain/directory/job.ts';
import type { DisableKeys } from '../../domain/directory/source.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows, oneRow } from '../postgres/results.ts';
import { bool, int4, texts, uuid, uuids } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { COUNT_LINES, HAS_ROOM, LINE_COUNTS } from './membership-lines.ts';
import { type PeopleSource, stagedPeople, storedPeople } from './membership-people.ts';
import { claims, keysOfOwners, LINES, LINKED_BY_CLAIMS, MOVES, OUTCOME, OWNERS } from './membership-rules.ts';

export interface PreviewQuery {
  from: PeopleSource;
  disableKeys: DisableKeys;
  /** True: people whose removal is held lose nothing. */
  sparesHeld: boolean;
}

/** The changes that the rules would make to people. */
export interface PeoplePreview {
  counts: Omit<SyncCounts, 'peopleRead' | 'groupsRead'>;
  /** The number of people who would lose the organization or a workspace. */
  removed: number;
  /** The stored people among those who would lose something; a staged person may have no stored row. */
  loserIds: string[];
}

/** Computes the changes for people by the same rules that apply them. */
export function createMembershipPreviewStore(handle: Handle, organizationId: string) {
  return {
    ...previewWrites(handle, organizationId),

    ...managedCounts(handle, organizationId),

    /** Updates the planner's statistics of the stage tables, which the job has just filled. */
    async measureStage(): Promise<void> {
      await run(handle, 'analyze directory_stage_people, directory_stage_groups, directory_stage_members');
    },

    async preview(query: PreviewQuery): Promise<PeoplePreview> {
      const { rules, values } = await rulesFor(handle, organizationId, query);
      const [row] = await rowsOf(
        handle,
        { ...LINE_COUNTS, removed: int4, loserIds: uuids, keysDisabled: int4, keysLeft: int4 },
        `with ${rules}
         select ${COUNT_LINES}, count(distinct key) filter (where is_removal)::int removed,
           coalesce(array_agg(distinct person_id) filter (where is_removal and person_id is not null), '{}') "loserIds",
           (select count(*) from owned_keys where identified or cast(:all as boolean))::int "keysDisabled",
           (select count(*) from owned_keys where not identified and not cast(:all as boolean))::int "keysLeft"
         from lines`,
        values,
      );
      const { removed, loserIds, ...counts } = row!;
      return { counts, removed, loserIds };
    },

    /**
     * Returns the workspaces that each stored person would lose; null stands for the organization. `among` limits the
     * result to these people.
     */
    async losses(
      query: PreviewQuery,
      among: readonly string[] | null = null,
    ): Promise<Map<string, (string | null)[]>> {
      const { rules, values } = await rulesFor(handle, organizationId, query);
      const rows = await rowsOf(
        handle,
        { id: uuid, places: texts },
        `with ${rules}
         select person_id id, array_agg(workspace_id::text) places from lines
         where is_removal and person_id is not null
           and (cast(:among as uuid[]) is null or person_id = any(cast(:among as uuid[])))
         group by person_id`,
        { ...values, among },
      );
      return new Map(rows.map(({ id, places }) => [id, places]));
    },
  };
}

/** Builds the method that records previewed changes. */
function previewWrites(handle: Handle, organizationId: string) {
  return {
    /** Records the previewed changes in the job: removals first, then keys, then the rest. */
    async write(query: PreviewQuery, jobId: string): Promise<void> {
      const { rules, values } = await rulesFor(handle, organizationId, query);
      await run(
        handle,
        `with ${rules},
         all_lines as (
           select kind, user_id, person_id, workspace_id, null key_hash, name, from_value, to_value, is_removal,
             case when is_removal then 1 else 3 end rank
           from lines
           union all
           select 'key', t.user_id, t.person_id, k.workspace_id, k.hash, k.name, 'active',
             case when t.identified or cast(:all as boolean) then 'disabled' else 'active' end, false, 2
           from owned_keys t join api_keys k on k.hash = t.hash
         )
         insert into directory_changes (organization_id, job_id, kind, user_id, person_id, workspace_id, key_hash, name,
           from_value, to_value, is_removal)
         select cast(:organizationId as uuid), cast(:jobId as uuid), kind, user_id, person_id, workspace_id, key_hash,
           name, from_value, to_value, is_removal
         from (select *, row_number() over (partition by rank order by name) place from all_lines) numbered
         where ${HAS_ROOM} order by rank, name`,
        { ...values, jobId },
      );
    },
  };
}

/** Builds the methods that count what the directory manages. */
function managedCounts(handle: Handle, organizationId: string) {
  return {
    /** Counts the members of the organization that the directory manages. */
    managed: (): Promise<number> =>
      countRows(
        handle,
        `from directory_people p
         join organization_members m on m.organization_id = p.organization_id and m.user_id = p.user_id
         where p.organization_id = :organizationId`,
        { organizationId },
      ),

    /**
     * Returns the number of living groups. `removed` counts those of them that a complete reading of the job did not
     * contain.
     */
    async groups(from: PeopleSource): Promise<{ removed: number; managed: number }> {
      const isGone =
        from.kind === 'staged' && (await isFull(handle, from.jobId))
          ? `not exists (
               select from directory_stage_groups s where s.job_id = cast(:jobId as uuid) and s.group_id = g.id)`
          : 'false';
      return oneRow(
        handle,
        { removed: int4, managed: int4 },
        `select count(*)::int managed, count(*) filter (where ${isGone})::int removed
         from directory_groups g where g.organization_id = :organizationId and g.deleted_at is null`,
        { organizationId, jobId: from.kind === 'staged' ? from.jobId : null },
      );
    },
  };
}

async function rulesFor(
  handle: Handle,
  organizationId: string,
  { from, disableKeys, sparesHeld }: PreviewQuery,
) {
  const people =
    from.kind === 'stored' ? storedPeople(from) : stagedPeople({ isFull: await isFull(handle, from.jobId) });
  return {
    rules: `${people.people}, ${people.rivals}, ${claims(people)}, ${LINKED_BY_CLAIMS}, ${MOVES},
        ${people.wanted}, ${OUTCOME},
        ${LINES}, ${OWNERS}, ${keysOfOwners(people)}`,
    values: {
      organizationId,
      sparesHeld,
      all: disableKeys === 'all',
      jobId: from.kind === 'staged' ? from.jobId : null,
      personIds: from.kind === 'stored' ? [...new Set(from.personIds)] : null,
    },
  };
}

async function isFull(handle: Handle, jobId: string): Promise<boolean> {
  const row = await oneRow(
    handle,
    { isFull: bool },
    'select is_full "isFull" from directory_jobs where id = :jobId',
    { jobId },
  );
  return row.isFull;
}
